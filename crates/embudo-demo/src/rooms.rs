//! Drawings of rooms before and after the work. They replace photos and renders, so that no real home is shown.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use std::thread;

use jpeg_encoder::{ColorType, Encoder};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const WIDTH: u32 = 600;
const HEIGHT: u32 = 450;
const JPEG_QUALITY: u8 = 84;

/// The kind of room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Bano,
    Cocina,
    Salon,
}

/// The colours of a room after the work. There are several palettes, so that homes differ.
struct Palette {
    wall: &'static str,
    front: &'static str,
    top: &'static str,
    wood: &'static str,
    accent: &'static str,
}

const PALETTES: [Palette; 4] = [
    Palette { wall: "#efeae1", front: "#587468", top: "#faf8f3", wood: "#c4a47e", accent: "#b9894f" },
    Palette { wall: "#e9eef0", front: "#3f5b73", top: "#f7f9fa", wood: "#b8946a", accent: "#d9b25f" },
    Palette { wall: "#f3ece6", front: "#a2604a", top: "#fdfaf6", wood: "#d0b090", accent: "#5b6b5a" },
    Palette { wall: "#ecece8", front: "#d8d3c8", top: "#4a4a48", wood: "#a98158", accent: "#7d8c6f" },
];

/// The same room before and after, as JPEGs.
#[derive(Debug, Clone)]
pub struct Pair {
    pub before: Arc<[u8]>,
    pub after: Arc<[u8]>,
}

/// Every room in every palette. Each one is drawn on its first use.
static DRAWN: [[OnceLock<Pair>; PALETTES.len()]; 3] =
    [const { [const { OnceLock::new() }; PALETTES.len()] }; 3];

/// A room in one of its palettes. Every number selects one.
pub fn pair(room: Room, number: usize) -> &'static Pair {
    let palette = number % PALETTES.len();
    DRAWN[room as usize][palette].get_or_init(|| Pair {
        before: jpeg(&before(room, &PALETTES[palette])),
        after: jpeg(&after(room, &PALETTES[palette])),
    })
}

/// Draws all rooms in a separate thread, so that callers need to wait only for the room that they use.
pub fn draw_ahead() {
    thread::spawn(|| {
        for number in 0..PALETTES.len() {
            for room in [Room::Bano, Room::Cocina, Room::Salon] {
                pair(room, number);
            }
        }
    });
}

/// The company's logo: a roof over a line, as PNG.
pub fn logo(color: &str) -> Vec<u8> {
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="0 0 320 320">
<rect width="320" height="320" rx="72" fill="{color}"/>
<path d="M64 178 160 86l96 92" fill="none" stroke="#fff" stroke-width="30" stroke-linecap="round" stroke-linejoin="round"/>
<rect x="100" y="204" width="120" height="30" rx="15" fill="#fff"/></svg>"##
    );
    raster(&svg, 320, 320).encode_png().expect("a picture in memory is written")
}

fn raster(svg: &str, width: u32, height: u32) -> Pixmap {
    let tree = Tree::from_str(svg, &Options::default()).expect("our own drawing reads");
    let mut canvas = Pixmap::new(width, height).expect("the size is not zero");
    let scale = width as f32 / tree.size().width();
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut canvas.as_mut());
    canvas
}

fn jpeg(svg: &str) -> Arc<[u8]> {
    let canvas = raster(svg, WIDTH, HEIGHT);
    let mut bytes = Vec::new();
    let (width, height) = (WIDTH as u16, HEIGHT as u16);
    let encoder = Encoder::new(&mut bytes, JPEG_QUALITY);
    encoder.encode(canvas.data(), width, height, ColorType::Rgba).expect("memory takes it");
    bytes.into()
}

/// An unfinished drawing, 800 wide and 600 high.
struct Drawing(String);

impl Drawing {
    /// A wall and a floor, lit from above.
    fn room(wall: &str, floor: &str) -> Self {
        let mut drawing = Self(String::from(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" viewBox="0 0 800 600"><defs>
<linearGradient id="day" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".28"/><stop offset="1" stop-color="#000" stop-opacity=".16"/></linearGradient>
<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#b9d6e6"/><stop offset="1" stop-color="#f3f8f6"/></linearGradient>
<radialGradient id="lamp"><stop offset="0" stop-color="#fff3d2" stop-opacity=".9"/><stop offset="1" stop-color="#fff3d2" stop-opacity="0"/></radialGradient></defs>"##,
        ));
        drawing.rect((0, 0, 800, 600), wall, 0);
        drawing.rect((0, 430, 800, 170), floor, 0);
        drawing
    }

    fn rect(&mut self, (x, y, width, height): (i32, i32, i32, i32), color: &str, radius: i32) {
        let _ = write!(
            self.0,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{color}"/>"#
        );
    }

    /// An object in the room, with a shadow below it.
    fn thing(&mut self, at: (i32, i32, i32, i32), color: &str, radius: i32) {
        let (x, y, width, height) = at;
        for (grow, opacity) in [(10, ".05"), (6, ".07"), (3, ".09")] {
            let _ = write!(
                self.0,
                r##"<rect x="{}" y="{}" width="{}" height="{}" rx="{}" fill="#1e1a16" fill-opacity="{opacity}"/>"##,
                x + 4 - grow / 2,
                y + 6 - grow / 2,
                width + grow,
                height + grow,
                radius + grow / 2
            );
        }
        self.rect(at, color, radius);
    }

    fn line(&mut self, points: &str, color: &str, width: i32) {
        let _ = write!(
            self.0,
            r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round"/>"#
        );
    }

    fn circle(&mut self, (x, y): (i32, i32), radius: i32, color: &str) {
        let _ = write!(self.0, r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"/>"#);
    }

    fn tiles(
        &mut self,
        (x, y, width, height): (i32, i32, i32, i32),
        side: (i32, i32),
        color: &str,
        joint: &str,
    ) {
        self.rect((x, y, width, height), color, 0);
        for at in (x..=x + width).step_by(side.0 as usize) {
            self.line(&format!("{at},{y} {at},{}", y + height), joint, 2);
        }
        for at in (y..=y + height).step_by(side.1 as usize) {
            self.line(&format!("{x},{at} {},{at}", x + width), joint, 2);
        }
    }

    /// A floor in perspective: boards, or tiles with cross joints.
    fn floor(&mut self, color: &str, joint: &str, is_tiled: bool) {
        self.rect((0, 430, 800, 170), color, 0);
        for step in -14..=14 {
            self.line(&format!("{},430 {},600", 400 + step * 56, 400 + step * 116), joint, 2);
        }
        if is_tiled {
            for y in [446, 470, 505, 556] {
                self.line(&format!("0,{y} 800,{y}"), joint, 2);
            }
        }
    }

    fn window(&mut self, at: (i32, i32, i32, i32), frame: &str) {
        let (x, y, width, height) = at;
        self.thing(at, frame, 4);
        self.rect((x + 9, y + 9, width - 18, height - 18), "url(#sky)", 2);
        self.rect((x + width / 2 - 4, y, 8, height), frame, 0);
    }

    fn plant(&mut self, x: i32, y: i32) {
        for (dx, dy, tilt) in [(-22, -52, -24), (0, -66, 0), (22, -52, 24), (-11, -60, -12), (12, -60, 12)] {
            let _ = write!(
                self.0,
                r##"<ellipse cx="{}" cy="{}" rx="10" ry="28" fill="#4a7454" transform="rotate({tilt} {} {})"/>"##,
                x + dx,
                y + dy,
                x + dx,
                y + dy
            );
        }
        let _ = write!(
            self.0,
            r##"<path d="M{} {y}h44l-6 34h-32z" transform="translate(0 -34)" fill="#c47c58"/>"##,
            x - 22
        );
    }

    fn lamp(&mut self, x: i32, y: i32, radius: i32) {
        self.circle((x, y), radius, "url(#lamp)");
    }

    fn finish(mut self, is_old: bool) -> String {
        self.rect((0, 0, 800, 600), "url(#day)", 0);
        if is_old {
            let _ = write!(self.0, r##"<rect width="800" height="600" fill="#60543e" fill-opacity=".16"/>"##);
        }
        self.0 + "</svg>"
    }
}

fn before(room: Room, palette: &Palette) -> String {
    // Old homes differ too: their tiles are either warm or greyish.
    let (tile, joint) =
        if palette.top.starts_with("#f") { ("#decaac", "#baa486") } else { ("#d3d0c0", "#aeaa98") };
    let mut d = Drawing::room("#e4d8bc", "#8e7c68");
    match room {
        Room::Bano => {
            d.tiles((0, 0, 800, 430), (50, 50), tile, joint);
            for x in (0..800).step_by(50) {
                d.circle((x + 25, 225), 8, "#b0805c");
            }
            d.floor("#8e7c68", "#706050", true);
            d.window((575, 55, 130, 120), "#b2a086");
            d.thing((110, 80, 170, 160), "#aab6b4", 3);
            d.thing((165, 325, 60, 125), "#e2dacc", 10);
            d.thing((105, 290, 180, 50), "#ece4d6", 22);
            d.line("195,295 195,270", "#96948e", 8);
            d.thing((430, 330, 370, 165), "#e8e0d0", 20);
            d.thing((420, 320, 380, 30), "#f0e8da", 13);
            for fold in 0..6 {
                let color = if fold % 2 == 0 { "#cebe96" } else { "#bcac84" };
                d.rect((425 + fold * 17, 45, 17, 335), color, 0);
            }
            d.line("415,45 800,45", "#96948e", 5);
            d.line("320,60 335,130 325,190", "#786854", 3);
        }
        Room::Cocina => {
            d.tiles((0, 165, 800, 265), (45, 45), tile, joint);
            d.floor("#9c7a62", "#7a5c48", true);
            d.window((300, 55, 170, 135), "#a68c6c");
            for x in [30, 150, 505, 625] {
                d.thing((x, 35, 115, 140), "#966a42", 2);
                d.circle((x + 100, 155), 5, "#cebe96");
            }
            for x in (30..640).step_by(123) {
                d.thing((x, 330, 119, 130), "#966a42", 2);
                d.circle((x + 104, 388), 5, "#cebe96");
            }
            d.thing((20, 310, 635, 24), "#b8ac98", 2);
            d.thing((665, 240, 120, 250), "#e8e2d6", 7);
            d.line("665,325 785,325", "#beb6a6", 3);
            d.line("385,310 385,280 415,280", "#96948e", 7);
            d.lamp(400, 20, 80);
        }
        Room::Salon => {
            d.rect((0, 0, 800, 430), "#dcc9a0", 0);
            for x in (0..800).step_by(40) {
                d.rect((x, 0, 20, 430), "#d6c196", 0);
            }
            d.floor("#8a6a4c", "#6d5138", true);
            d.window((90, 70, 190, 210), "#8f7354");
            d.thing((430, 120, 320, 300), "#7b5636", 3);
            for (x, y) in [(445, 135), (545, 135), (645, 135), (445, 235), (645, 235)] {
                d.rect((x, y, 88, 84), "#664526", 2);
            }
            d.rect((545, 235, 88, 84), "#3a3d40", 2);
            d.thing((70, 380, 320, 110), "#8c5b4a", 16);
            d.thing((60, 340, 340, 70), "#9a6553", 20);
            d.circle((400, 40), 26, "#c9b27a");
            d.lamp(400, 50, 120);
            d.line("300,300 316,352 306,420", "#a58f6a", 3);
        }
    }
    d.finish(true)
}

fn after(room: Room, palette: &Palette) -> String {
    let Palette { wall, front, top, wood, accent } = palette;
    let mut d = Drawing::room(wall, wood);
    d.floor(wood, "#00000018", false);
    match room {
        Room::Bano => {
            d.tiles((490, 30, 310, 400), (52, 104), "#d3dcd4", "#e8eee8");
            d.floor(wood, "#00000018", false);
            d.window((525, 75, 110, 145), "#fbfaf7");
            d.lamp(195, 150, 130);
            d.thing((95, 65, 200, 210), "#d6e2e6", 100);
            d.thing((45, 330, 335, 100), front, 5);
            d.line("45,380 380,380", "#00000022", 2);
            d.thing((35, 313, 355, 23), top, 4);
            d.thing((140, 285, 110, 32), "#fffefc", 13);
            d.line("195,285 195,250 175,250", accent, 6);
            d.thing((480, 470, 320, 35), "#f5f4f0", 3);
            d.line("750,470 750,75 700,75", accent, 6);
            d.rect((670, 70, 60, 14), accent, 7);
            let _ = write!(
                d.0,
                r##"<rect x="480" y="50" width="165" height="430" fill="#ecf6f8" fill-opacity=".32"/>"##
            );
            d.rect((480, 50, 5, 430), accent, 0);
            d.plant(345, 314);
            d.thing((75, 500, 235, 55), "#ded6c8", 15);
        }
        Room::Cocina => {
            d.tiles((30, 190, 740, 115), (37, 18), "#e6ece6", "#f4f6f3");
            d.lamp(165, 235, 100);
            d.lamp(650, 235, 100);
            d.window((280, 45, 225, 155), "#fbfaf7");
            for x in [30, 125, 550, 660] {
                d.thing((x, 35, 90, 150), front, 3);
            }
            for (n, x) in (30..750).step_by(123).enumerate() {
                d.thing((x, 320, 119, 130), if n == 3 { "#2c2e30" } else { front }, 3);
                d.line(&format!("{},334 {},334", x + 35, x + 84), accent, 4);
            }
            d.thing((20, 302, 760, 22), top, 3);
            d.line("380,302 380,250 410,250 410,265", accent, 6);
            d.thing((215, 480, 430, 25), top, 4);
            d.thing((235, 505, 390, 95), "#f2efe8", 3);
            d.plant(610, 481);
            d.circle((320, 466), 16, accent);
        }
        Room::Salon => {
            d.window((70, 60, 260, 270), "#fbfaf7");
            d.lamp(600, 120, 150);
            d.line("600,0 600,80", "#3c3a36", 3);
            d.circle((600, 96), 20, accent);
            d.thing((440, 330, 320, 70), wood, 4);
            d.thing((490, 190, 220, 125), "#26282a", 5);
            d.thing((60, 400, 330, 90), front, 18);
            d.thing((50, 350, 350, 70), front, 22);
            d.thing((90, 365, 90, 60), top, 12);
            d.thing((270, 365, 90, 60), accent, 12);
            d.thing((170, 525, 260, 40), "#e4dcd0", 18);
            d.plant(700, 331);
            d.thing((430, 470, 130, 16), top, 6);
            d.line("450,486 444,545", accent, 6);
            d.line("540,486 546,545", accent, 6);
        }
    }
    d.finish(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_room_is_a_picture_before_and_after() {
        for room in [Room::Bano, Room::Cocina, Room::Salon] {
            for number in 0..PALETTES.len() {
                let pair = pair(room, number);
                for picture in [&pair.before, &pair.after] {
                    assert!(embudo_fotos::prepare(picture).is_ok(), "{room:?} {number}");
                }
                assert_ne!(pair.before, pair.after);
            }
        }
    }

    #[test]
    fn the_logo_can_be_one() {
        assert!(embudo_app::logo(&logo("#1f5c4d")).is_ok());
    }
}
