//! The list of the cases, and the macro that makes a test of each.

/// Makes one test of every case of the suite.
///
/// `$make` is called as `$make().await` for each test and gives `(Arc<dyn Store>, guard)`: an empty store, and a value
/// that must outlive it (a temporary folder, a database to be dropped). Tests need `tokio` with `macros`.
#[macro_export]
macro_rules! store_conformance {
    ($make:expr) => {
        $crate::store_conformance! { @cases $make;
            empresas {
                a_new_store_has_none,
                a_company_reads_back_as_created,
                the_first_one_becomes_the_default,
                a_later_default_takes_over,
                they_are_listed_default_first_then_by_name,
                a_taken_slug_is_refused,
                the_default_is_ensured_once,
                racers_agree_on_one_default,
                a_change_keeps_what_it_leaves_out,
                a_change_can_move_the_default,
                a_change_to_a_taken_slug_is_refused,
                notices_are_kept_and_changed,
                an_unknown_company_cannot_be_changed,
                ping_answers,
                the_database_has_a_size,
            }
            leads {
                a_created_lead_reads_back_whole,
                absent_fields_stay_absent,
                utm_is_sorted_by_characters,
                a_lead_goes_to_its_company,
                an_unknown_company_is_refused,
                an_unknown_lead_is_not_found,
                strange_and_long_texts_survive,
                times_are_exact,
                facts_of_the_job_are_written_and_taken_back,
                a_correction_keeps_what_it_leaves_out,
                a_correction_refreshes_search,
                duplicates_share_phone_or_email_in_one_company,
                leads_of_one_ticket_are_duplicates,
                a_correction_moves_duplicates,
            }
            conversacion {
                a_turn_reads_back,
                turns_keep_the_order_of_acceptance,
                a_plain_turn_leaves_the_lead_alone,
                a_turn_updates_the_states,
                times_are_exact,
                a_very_long_message_survives,
                an_unknown_lead_is_not_found,
            }
            perfil {
                every_field_reads_back,
                a_field_sent_alone_changes_alone,
                an_update_touches_nothing_else,
                every_word_can_be_written,
                an_empty_text_is_a_value,
                strange_and_long_texts_survive,
                doubles_are_exact,
                integers_are_exact,
                times_are_exact,
                an_unknown_lead_is_not_found,
                an_area_that_is_sent_is_known,
            }
            correction {
                answers_are_taken_back_one_by_one,
                a_note_is_changed_in_its_place_and_removed,
                an_unknown_lead_is_not_found,
            }
            calificacion {
                a_qualification_reads_back,
                one_field_is_enough,
                a_later_call_keeps_what_it_leaves_out,
                lists_show_the_last_level,
                criterios_come_back_as_sent,
                strange_and_long_texts_survive,
                an_unknown_lead_is_not_found,
            }
            intento {
                attempts_read_back_in_order,
                the_same_number_twice_is_two_attempts,
                integers_and_times_are_exact,
                metadata_comes_back_as_sent,
                long_notes_survive,
                an_unknown_lead_is_not_found,
            }
            ingesta {
                one_call_reads_back_whole,
                the_zone_is_decided_at_ingestion,
                a_note_without_zone_stays_so,
                numbers_continue_from_the_maximum,
                a_negative_maximum_counts,
                huge_numbers_stay_distinct,
                given_numbers_are_exact,
                items_stand_in_order,
                a_swept_blob_refuses_the_whole_call,
                many_items_are_one_call,
                very_long_texts_survive,
                times_are_exact,
                an_event_on_its_own_is_appended,
                an_unknown_lead_is_not_found,
            }
            fotos {
                a_photo_is_read_by_its_id,
                a_removed_photo_is_gone,
                the_maximum_is_the_current_one,
                only_its_own_lead_has_a_photo,
            }
            blobs {
                a_free_blob_is_marked_until_it_is_swept,
                a_living_mark_keeps_other_sweeps_off,
                a_sweep_finishes_only_its_own_mark,
                of_many_sweeps_one_marks,
                an_unknown_leads_blob_can_be_marked,
                a_blob_in_use_is_not_marked,
                marks_are_per_lead,
                a_swept_blob_leaves_a_trace,
                a_trace_lets_through_what_was_put_again,
                an_old_number_opens_nothing,
                numbers_rise_beyond_removed_traces,
                the_purge_removes_only_old_traces,
                a_sweep_and_an_ingestion_never_both_win,
            }
            counts {
                counts_add_up,
                each_window_has_its_own,
                nothing_is_lost_when_many_add_at_once,
                what_has_expired_is_purged_in_slices,
            }
            leases {
                one_holds_it_and_another_waits,
                one_that_ran_out_is_free,
                only_ones_own_is_given_back,
                of_many_that_come_at_once_one_takes_it,
                while_a_backup_is_made_no_blob_is_marked,
            }
            idempotency {
                a_replay_gives_the_first_outcome,
                outcomes_are_stored_whole,
                another_body_is_refused,
                an_expired_key_is_free_again,
                a_key_counts_within_its_scope,
                a_failed_command_leaves_no_key,
                a_refused_lead_leaves_no_key,
                racers_with_one_key_have_one_effect,
                the_purge_deletes_only_expired_keys,
                a_key_can_be_kept_alone,
            }
            provisional {
                a_provisional_outcome_waits_to_be_completed,
                completing_touches_its_own_key,
                a_provisional_outcome_expires,
                a_final_outcome_can_expire_elsewhen,
                racers_with_one_key_make_one_job,
            }
            lists {
                a_list_shows_leads_as_their_records_do,
                pages_cover_everything_once,
                new_leads_do_not_disturb_later_pages,
                extreme_times_can_be_paged,
                each_filter_finds_its_own,
                dates_are_half_open,
                text_is_found_literally,
                filtered_pages_cover_everything_once,
            }
            history {
                every_writer_leaves_its_values,
                other_writes_leave_no_trace,
                the_order_is_that_of_acceptance,
                a_very_long_step_is_kept,
            }
            events {
                changes_of_state_are_events,
                pages_cover_everything_once,
                extreme_times_can_be_paged,
                every_kind_reads_back,
                an_unknown_lead_is_not_found,
            }
            jobs {
                a_new_job_reads_back,
                long_loads_and_times_are_exact,
                a_profile_holds_the_items_of_its_call,
                a_new_leads_signals_say_what_it_has,
                a_command_that_fails_makes_none,
                a_company_gets_the_notices_it_wants,
                notices_are_the_leads_own_companys,
                jobs_leave_the_lead_alone,
            }
            replacement {
                a_newer_one_replaces_those_that_wait,
                every_command_replaces,
                only_what_waits_is_replaced,
                what_has_ended_stays_so,
                a_failed_attempt_gives_way_to_a_newer_one,
                a_failed_attempt_without_a_newer_one_is_tried_again,
            }
            claims {
                a_job_is_taken_when_due,
                the_longest_due_are_taken_first,
                each_kind_has_its_share,
                first_attempts_can_be_taken_alone,
                a_lease_from_the_start_is_respected,
                a_lease_that_ran_out_frees_the_job,
                claimers_at_once_take_disjoint_sets,
                only_what_is_held_is_renewed,
                a_release_gives_back_what_is_held,
                a_doubt_survives_its_process,
                the_next_moment_is_known,
                what_is_held_back_wakes_nobody,
                jobs_are_counted_by_kind_and_state,
                due_jobs_are_counted_with_the_oldest,
                a_job_for_later_waits,
            }
            ends {
                each_outcome_leaves_its_state,
                only_its_holder_is_heard,
                the_log_keeps_every_attempt,
                history_and_follow_ups_come_with_it,
                an_unwanted_notice_is_no_obstacle,
                a_known_outcome_ends_the_doubt,
                an_attempt_ends_once,
            }
            at_once {
                ends_at_once_are_each_written_down,
                two_ends_of_one_lead_at_once,
                ends_at_once_see_what_came_in,
                calls_at_once_make_each_their_job,
                calls_at_once_for_one_lead_leave_one_signal,
                what_was_just_made_is_known,
            }
            admin {
                several_come_in_the_order_asked,
                lists_cover_everything_once,
                what_failed_can_be_tried_again,
                what_waits_can_be_hurried,
                a_person_can_end_a_job,
                an_ended_job_is_taken_from_its_process,
                the_purge_deletes_what_ended_long_ago,
            }
            outbox_lists {
                a_list_shows_where_jobs_stand,
                what_waits_for_a_person_is_counted,
                what_people_do_is_told,
                a_parked_mail_can_be_taken_as_sent,
                what_was_done_can_be_sent_again,
                what_is_outdated_is_not_sent_again,
            }
            pauses {
                a_pause_reads_back,
                what_is_paused_waits,
                a_pause_is_one_companys,
                a_process_holds_its_own,
                what_is_held_can_be_ended,
                every_way_to_be_due_is_held,
                a_claim_and_a_resumption_never_leave_one_held,
            }
            watched_loop {
                the_steps_follow_each_other,
                a_workflow_may_call_back_before_it_answers,
                only_what_came_since_counts,
                a_new_signal_starts_anew,
                a_refused_call_moves_nothing,
                a_signal_whose_work_came_back_is_done_whatever_its_answer,
                what_came_before_it_was_sent_is_no_answer,
                a_newer_signal_comes_before_the_answer,
                a_signal_that_waits_is_done_when_its_work_comes_back,
                a_signal_that_a_person_tries_again_is_sent,
                overdue_steps_are_found,
                a_deadline_passes_once,
                a_lead_that_moved_on_is_left_alone,
                a_signal_by_itself_is_counted,
                notices_come_with_the_mark,
                racers_mark_a_deadline_once,
            }
            presupuestos {
                a_draft_reads_back_whole,
                equal_content_is_one_quote,
                other_content_takes_the_place,
                an_accepted_quote_stays,
                expired_content_is_a_new_quote,
                numbers_are_per_company_and_year,
                concurrent_drafts_have_no_gaps,
                concurrent_equal_drafts_are_one,
                concurrent_drafts_of_one_lead_follow_each_other,
                a_failed_draft_leaves_no_gap,
                big_documents_survive,
                times_are_exact,
                what_is_unknown_is_not_found,
            }
            deliveries {
                a_quote_knows_what_became_of_its_deliveries,
                deliveries_follow_their_jobs,
            }
            issue {
                a_completed_quote_is_sent,
                the_first_pdf_stays,
                a_superseded_quote_keeps_its_state,
                an_answered_quote_keeps_its_state,
                only_its_holder_completes,
                a_quote_of_another_lead_is_not_found,
                a_swept_pdf_is_refused,
                a_pdf_in_use_is_not_marked,
                a_quote_is_completed_once,
                a_quote_tells_once_that_it_was_sent,
            }
            answers {
                an_answer_is_written_whole,
                each_state_answers_in_its_way,
                a_client_may_change_their_mind,
                it_can_be_too_late,
                another_pdf_is_refused,
                the_options_that_were_taken_are_kept,
                an_acceptance_by_telephone_says_who_wrote_it_down,
                another_total_is_refused,
                an_orientative_quote_asks_for_a_visit,
                racers_answer_once,
                a_newer_quote_and_an_answer_never_both_win,
                strange_and_long_texts_survive,
                an_unknown_quote_is_not_found,
                the_paper_of_an_acceptance_is_kept,
            }
            identity {
                what_a_company_says_is_edited_field_by_field,
                a_stale_edit_of_a_company_writes_nothing,
                a_logo_is_changed_by_who_saw_the_last,
                racers_change_a_logo_once,
                an_unknown_company_says_nothing,
            }
            business {
                price_tables_read_back_latest_first,
                a_version_is_loaded_once,
                the_table_of_a_day_is_found,
                a_next_table_is_added_by_who_saw_the_last,
                racers_add_one_table,
                a_table_is_withdrawn_before_it_begins,
                how_a_company_works_is_kept,
                how_a_company_works_is_changed_by_who_saw_it,
                racers_change_how_a_company_works_once,
                own_receivers_are_known,
                a_brand_and_its_logo_are_kept_apart,
                brands_and_tables_are_per_company,
                a_company_is_found_by_its_slug,
                a_former_slug_stays_the_companys,
                a_secret_is_kept_once,
                consents_are_appended,
            }
            company_keys {
                keys_read_back,
                a_key_is_revoked_once_by_its_company,
                uses_of_a_key_move_forward,
                racers_never_have_a_key_too_many,
            }
            renditions {
                a_rendition_reads_back,
                a_later_one_takes_the_place,
                only_its_own_lead_has_a_photo,
                it_goes_with_its_photo,
                a_blob_in_use_is_not_marked,
                a_swept_blob_is_refused,
                a_sweep_and_a_rendition_never_both_win,
                a_removal_and_a_rendition_leave_nothing,
            }
            users {
                a_person_reads_back,
                they_are_listed_by_name,
                an_email_belongs_to_one_person,
                an_unknown_company_is_refused,
                the_first_person_is_one,
                a_change_keeps_what_it_leaves_out,
                an_administrator_is_always_left,
                administrators_never_both_go,
                who_is_sent_away_loses_everything,
            }
            credentials {
                a_new_password_ends_the_rest,
                a_second_factor_comes_and_goes,
                a_second_factor_ends_sessions,
                an_invitation_outlives_a_reset,
                a_period_is_spent_once,
                a_recovery_code_is_spent_once,
                a_link_is_used_once,
                racers_use_a_link_once,
            }
            sessions {
                a_session_reads_back,
                a_token_is_replaced,
                uses_and_choices_are_kept,
                sessions_are_ended_by_their_person,
                the_purge_deletes_what_ended,
            }
            notices {
                a_choice_reads_back,
                who_is_gone_hears_nothing,
                a_notice_is_made_where_somebody_wants_it,
                the_shared_address_is_set_unless_it_changed,
                choices_at_once_are_all_gathered,
            }
            audit {
                entries_read_back,
                an_entry_grows,
                audit_pages_cover_everything_once,
            }
            sheet {
                a_sheet_shows_what_the_record_does,
                pages_of_the_line_cover_everything_once,
                several_leads_have_one_line,
                long_texts_are_cut,
                an_edit_changes_and_clears,
                a_stale_edit_writes_nothing,
                an_unknown_lead_has_no_page,
            }
            concurrency {
                concurrent_photos_get_consecutive_numbers,
                given_and_absent_numbers_mix,
                concurrent_turns_keep_the_order_of_acceptance,
                concurrent_updates_of_different_fields_all_hold,
                concurrent_qualifications_make_one,
                failures_harm_no_neighbour,
            }
            model {
                the_store_agrees_with_the_model,
            }
        }
    };
    (@cases $make:expr; $($module:ident { $($case:ident),+ $(,)? })+) => {$(
        mod $module {
            #[allow(unused_imports, reason = "`$make` may be named by a full path")]
            use super::*;
            $(
                #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let (store, _guard) = ($make)().await;
                    $crate::$module::$case(store).await;
                }
            )+
        }
    )+};
}

/// Makes one test of every case of the inbox and of drafts, which the model does not keep.
#[macro_export]
macro_rules! inbox_conformance {
    ($make:expr) => {
        $crate::store_conformance! { @cases $make;
            etapa {
                a_new_lead_is_nuevo,
                the_first_turn_begins_the_conversation,
                a_complete_profile_comes_after_the_conversation,
                the_loop_moves_it_there_and_back,
                renders_before_the_answer_are_not_waited_for,
                quotes_move_it,
                a_newer_draft_takes_the_quote_back,
                what_is_archived_is_lost_until_it_is_reopened,
                a_declined_lead_can_be_reopened,
                racing_first_turns_begin_every_conversation,
                any_sequence_leaves_the_derived_etapa,
            }
            inbox {
                a_lead_shows_what_is_known_of_it,
                every_order_is_paged_both_ways,
                what_is_due_comes_first,
                every_filter_finds_its_leads,
                a_walk_whose_time_is_over_goes_on_where_it_stopped,
                the_board_counts_every_etapa,
                nobody_sees_the_leads_of_another_company,
                amounts_are_those_of_the_quotes_that_count,
                what_is_not_viable_hides_its_action,
                news_are_counted_for_each_person,
            }
            desk {
                leads_are_assigned_and_given_away,
                a_united_lead_is_whose_the_other_is,
                what_a_person_does_shows_at_once,
                an_action_by_hand_has_its_day,
                accepted_work_goes_on_as_people_say,
                accepted_work_is_in_the_calendar,
                archiving_is_undone_without_a_trace,
                nobody_overwrites_another_unseen,
                what_people_do_is_in_the_log,
                internal_notes_are_kept_in_order,
                internal_notes_stand_on_the_line,
                the_next_action_is_known_at_once,
                possible_duplicates_are_found,
                reading_is_each_persons_own,
                two_leads_are_united_and_separated,
                what_cannot_be_united_is_left,
                another_companys_lead_is_not_there,
            }
            drafts {
                a_draft_is_kept_word_for_word,
                an_open_draft_is_not_touched,
                a_stretch_is_one_line,
                whoever_saves_late_is_told,
                sending_seals_the_draft_and_its_sheet,
                a_draft_to_review_waits_for_a_person,
                racers_open_one_draft_and_seal_it_once,
                a_company_lists_its_drafts_and_quotes,
            }
            reminders {
                a_quote_waits_for_its_client_until_anything_happens,
                quotes_are_paged_within_their_time,
                a_quiet_lead_of_the_form_is_found,
                a_reminder_is_planned_once,
                the_ledger_is_in_order,
            }
            replies {
                a_reply_is_written_once_and_takes_over,
                a_reply_waits_until_its_turn_is_recorded,
                a_recorded_turn_ends_a_job_that_waits,
                only_its_own_lead_and_only_the_assistant_record_it,
                a_reply_answers_the_client_unless_it_fails,
                a_reply_by_hand_counts_once_it_was_sent,
                a_reply_that_is_over_is_ended,
                what_became_of_it_outlives_its_job,
                a_conversation_is_taken_over_and_given_back,
                another_companys_lead_is_not_found,
            }
            push {
                the_key_is_kept_once,
                a_device_reads_back,
                an_endpoint_is_one_device,
                devices_are_bounded,
                a_device_goes_with_its_session,
                a_device_follows_its_browser,
                who_is_sent_away_has_no_device,
                the_first_device_chooses,
                clients_who_wait_are_found,
            }
            visits {
                a_visit_is_kept_as_it_is,
                an_hour_of_a_person_is_for_one_client,
                of_many_who_want_one_hour_one_gets_it,
                who_overrides_races_with_who_asks,
                a_changed_length_or_person_is_claimed_too,
                an_agreed_visit_moves_its_lead_until_it_has_passed,
                agreed_visits_are_told_while_they_are_near,
                cancelling_takes_the_etapa_back,
                hours_are_each_persons_own,
                a_calendar_is_followed_by_one_secret,
                a_reset_ends_the_calendars_secret,
            }
            terms {
                leads_that_came_to_nothing_are_found_the_longest_first,
                whatever_is_written_about_a_lead_keeps_it,
                a_lead_that_somebody_works_on_is_not_forgotten,
                a_term_is_seen_in_what_is_written,
                a_term_is_the_persons_and_not_the_leads,
                united_leads_are_forgotten_together,
            }
            rights {
                every_row_of_an_erased_lead_is_gone,
                an_erasure_blanks_what_is_about_the_person_alone,
                what_was_said_of_several_is_blanked_for_the_one_who_is_erased,
                keys_of_calls_about_it_are_forgotten,
                an_erasure_is_done_once_and_known,
                an_accepted_quote_is_kept_blocked_until_its_term_is_over,
                blocked_quotes_are_paged_through,
                what_was_not_accepted_or_is_long_over_is_not_kept,
                a_united_lead_leaves_the_others,
                racing_writers_leave_nothing,
                a_look_is_written_down_once_a_day,
                revoked_passes_are_counted,
                another_email_revokes_the_other_passes_to_the_form,
                an_erased_lead_is_not_created_again,
                a_secret_is_changed_and_the_one_before_is_kept,
                rows_are_shown_whole,
            }
            figures {
                a_lead_counts_on_the_day_of_the_zone,
                what_happens_to_a_lead_is_counted_once,
                an_attempt_counts_as_a_contact,
                a_reply_counts_as_a_contact,
                a_channel_told_later_counts,
                quotes_count_with_what_was_accepted,
                a_visit_counts_once_it_is_agreed,
                a_lost_lead_counts_with_its_reason,
                a_lead_that_another_stands_for_is_not_counted,
                an_erased_lead_counts_no_longer,
                companies_are_counted_apart,
                everything_can_be_counted_anew,
                a_summary_adds_up_months_and_days,
                of_many_who_project_a_lead_one_counts_it,
            }
            search {
                telephone_mail_and_number_come_first,
                names_are_found_by_any_part_of_them,
                a_correction_is_found_and_what_it_replaced_is_not,
                what_was_written_is_found,
                texts_of_leads_found_by_name_take_no_room,
                a_search_ends_and_says_so,
                another_companys_leads_are_not_found,
                old_leads_of_a_long_list_are_found,
            }
            projection {
                whoever_wrote_last_waits_for_an_answer,
                a_new_lead_is_contacted,
                whoever_asks_to_be_called_is_called,
                whoever_asks_for_their_data_waits_for_it,
                whoever_asks_for_a_visit_waits_for_it,
                an_issued_quote_is_chased_until_it_is_answered,
                a_loop_is_due_at_its_deadline,
                everything_that_happens_is_activity,
                it_can_be_made_again_from_what_was_written,
                the_tail_finds_what_was_lost,
                leads_are_walked_in_order_and_known_by_their_company,
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// A case that is written but not listed would never run.
    #[test]
    fn every_case_is_listed() {
        let (src, list) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), include_str!("cases.rs"));
        let modules = include_str!("lib.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        for module in modules.filter(|module| *module != "data") {
            let (_, rest) =
                list.split_once(&format!("            {module} {{")).expect("the module is listed");
            let (cases, _) = rest.split_once('}').expect("its list ends");
            let listed: Vec<&str> = cases.split(',').map(str::trim).filter(|case| !case.is_empty()).collect();
            let source = std::fs::read_to_string(src.join(module).with_extension("rs")).expect("its file");
            let written: Vec<&str> = source
                .lines()
                .filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next())
                .collect();
            assert_eq!(listed, written, "{module}");
        }
    }
}
