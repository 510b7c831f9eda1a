//! Pictures: reading and writing PNG, cutting parts out, and telling two of them apart as an eye would.

use std::io::Cursor;

/// Reading more would be a mistake or an attack: a sheet has about 20 million pixels.
const MAX_PIXELS: usize = 100_000_000;

/// Pixels as red, green and blue, a byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

/// A part of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Part {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

impl Picture {
    pub fn read(png: &[u8]) -> Result<Picture, String> {
        let mut decoder = png::Decoder::new(Cursor::new(png));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        if width.saturating_mul(height) > MAX_PIXELS {
            return Err(format!("{width} by {height} pixels are too many"));
        }
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut bytes = vec![0; size];
        let frame = reader.next_frame(&mut bytes).map_err(|error| error.to_string())?;
        bytes.truncate(frame.buffer_size());
        let rgb = match frame.color_type {
            png::ColorType::Rgb => bytes,
            png::ColorType::Rgba => {
                bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
            }
            png::ColorType::Grayscale => bytes.iter().flat_map(|&grey| [grey; 3]).collect(),
            png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).flat_map(|pixel| [pixel[0]; 3]).collect(),
            png::ColorType::Indexed => return Err("colours by index were not expanded".into()),
        };
        Ok(Picture { width, height, rgb })
    }

    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().expect("writing to memory does not fail");
        writer.write_image_data(&self.rgb).expect("the pixels fill the picture");
        drop(writer);
        bytes
    }

    /// The part, as far as the picture has it.
    pub fn cut(&self, part: Part) -> Picture {
        let width = part.width.min(self.width.saturating_sub(part.x));
        let height = part.height.min(self.height.saturating_sub(part.y));
        let mut rgb = Vec::with_capacity(width * height * 3);
        for row in part.y..part.y + height {
            let start = (row * self.width + part.x) * 3;
            rgb.extend_from_slice(&self.rgb[start..start + width * 3]);
        }
        Picture { width, height, rgb }
    }

    fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y * self.width + x) * 3;
        Some([self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]])
    }
}

/// How two pictures differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Pixels an eye would tell apart, and pixels that only one picture has.
    pub pixels: usize,
    /// Of all pixels of the larger outline, between 0 and 1.
    pub ratio: f64,
    /// The new picture faded, differences in red.
    pub picture: Picture,
}

/// Compares two pictures; `threshold` is between 0 (any change) and 1 (the two colours farthest apart; black and white lie at 0.97).
///
/// The distance of two colours is taken in YIQ, weighted as Kotsarenko and Ramos measured it.
pub fn compare(before: &Picture, after: &Picture, threshold: f64) -> Option<Difference> {
    if before == after {
        return None;
    }
    /// The largest squared distance of two colours.
    const MOST: f64 = 35_215.0;
    let limit = MOST * threshold * threshold;
    let (width, height) = (before.width.max(after.width), before.height.max(after.height));
    let mut rgb = Vec::with_capacity(width * height * 3);
    let mut pixels = 0;
    for y in 0..height {
        for x in 0..width {
            let (old, new) = (before.pixel(x, y), after.pixel(x, y));
            let differs = match (old, new) {
                (Some(old), Some(new)) => old != new && distance(old, new) > limit,
                _ => true,
            };
            if differs {
                pixels += 1;
                rgb.extend_from_slice(&[214, 0, 64]);
            } else {
                let [r, g, b] = new.unwrap_or([255; 3]).map(f64::from);
                let grey = 255.0 - (255.0 - luma(r, g, b)) * 0.15;
                rgb.extend_from_slice(&[grey as u8; 3]);
            }
        }
    }
    let ratio = pixels as f64 / (width * height).max(1) as f64;
    (pixels > 0).then_some(Difference { pixels, ratio, picture: Picture { width, height, rgb } })
}

fn luma(r: f64, g: f64, b: f64) -> f64 {
    0.298_895_31 * r + 0.586_622_47 * g + 0.114_482_23 * b
}

fn distance(old: [u8; 3], new: [u8; 3]) -> f64 {
    let [r, g, b] = [0, 1, 2].map(|at| f64::from(old[at]) - f64::from(new[at]));
    let y = luma(r, g, b);
    let i = 0.595_977_99 * r - 0.274_176_10 * g - 0.321_801_89 * b;
    let q = 0.211_470_17 * r - 0.522_617_11 * g + 0.311_146_94 * b;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: usize, height: usize, color: [u8; 3]) -> Picture {
        Picture { width, height, rgb: color.repeat(width * height) }
    }

    #[test]
    fn a_picture_survives_its_file_and_parts_are_cut_within_it() {
        let mut picture = plain(5, 4, [10, 20, 30]);
        picture.rgb[(2 * 5 + 3) * 3] = 200;
        assert_eq!(Picture::read(&picture.png()).unwrap(), picture);
        let part = picture.cut(Part { x: 3, y: 2, width: 9, height: 9 });
        assert_eq!((part.width, part.height, part.rgb[0]), (2, 2, 200));
        assert!(Picture::read(b"not a picture").is_err());
    }

    #[test]
    fn only_what_an_eye_sees_is_a_difference() {
        let white = plain(4, 4, [255; 3]);
        assert_eq!(compare(&white, &white, 0.1), None);
        assert_eq!(compare(&white, &plain(4, 4, [254, 255, 254]), 0.1), None, "too faint");
        let black = compare(&white, &plain(4, 4, [0; 3]), 0.9).unwrap();
        assert_eq!((black.pixels, black.ratio), (16, 1.0));
        let taller = compare(&white, &plain(4, 5, [255; 3]), 0.1).unwrap();
        assert_eq!(taller.pixels, 4);
    }
}
