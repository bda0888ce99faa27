//! The order of locks.

use uuid::Uuid;

use super::*;

/// Records the locks that were requested.
#[derive(Default)]
struct Recorded(Mutex<Vec<Vec<Lock>>>);

#[async_trait]
impl Transaction for Recorded {
    async fn query(&self, _: &str, _: &Values, _: OnRow<'_>) -> Result<()> {
        Ok(())
    }

    async fn execute(&self, _: &str, _: &Values) -> Result<u64> {
        Ok(0)
    }

    async fn lock(&self, locks: &[Lock]) -> Result<()> {
        self.0.lock().expect("whole").push(locks.to_vec());
        Ok(())
    }

    async fn events(&self, _: LeadId, _: &[Event]) -> Result<()> {
        Ok(())
    }

    async fn jobs(&self, _: LeadId, _: &[NewJob], _: Timestamp) -> Result<bool> {
        Ok(false)
    }

    async fn finish(&self, _: &JobAttemptEnd) -> Result<Option<bool>> {
        Ok(None)
    }

    async fn begin_erasure(&self, _: LeadId) -> Result<()> {
        Ok(())
    }

    fn job_order(&self) -> &'static str {
        "n"
    }
}

fn lead(n: u128) -> LeadId {
    LeadId(Uuid::from_u128(n))
}

#[tokio::test]
async fn locks_of_one_kind_are_taken_together_in_the_order_of_their_ids() {
    let recorded = Recorded::default();
    let tx = Tx::of(&recorded);
    tx.lock_leads(&[lead(3), lead(1), lead(3), lead(2)]).await.expect("taken");
    tx.lock_leads(&[]).await.expect("nothing to take");
    tx.lock_agendas(&[UserId(Uuid::from_u128(1))]).await.expect("after the leads");
    let leads = [1, 2, 3].map(|n| Lock::Lead(lead(n))).to_vec();
    let calendars = vec![Lock::Agenda(UserId(Uuid::from_u128(1)))];
    assert_eq!(*recorded.0.lock().expect("whole"), [leads, calendars]);
}

#[tokio::test]
#[should_panic(expected = "is taken after")]
async fn a_lock_out_of_order_is_refused() {
    let recorded = Recorded::default();
    let tx = Tx::of(&recorded);
    tx.lock(Lock::Agenda(UserId(Uuid::nil()))).await.expect("taken");
    drop(tx.lock(Lock::Lead(lead(1))).await);
}

#[tokio::test]
#[should_panic(expected = "is taken after")]
async fn so_is_a_lead_before_one_that_is_held() {
    let recorded = Recorded::default();
    let tx = Tx::of(&recorded);
    tx.lock(Lock::Lead(lead(2))).await.expect("taken");
    drop(tx.lock(Lock::Lead(lead(1))).await);
}
