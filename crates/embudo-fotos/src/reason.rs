//! The reasons why there is no picture, as short texts in Spanish.

/// Why a picture could not be made. Its text is a short clause in Spanish, without a capital letter and a full stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// There are no bytes.
    #[error("la imagen está vacía")]
    Empty,
    /// The iPhone's own format: there is no decoder yet that we would trust with untrusted bytes.
    #[error("formato HEIC, que no se puede leer")]
    Heic,
    /// There is no decoder yet that we would trust with untrusted bytes.
    #[error("formato AVIF, que no se puede leer")]
    Avif,
    /// A drawing that may contain scripts and links, so it is never rendered.
    #[error("formato SVG, que no mostramos por seguridad")]
    Svg,
    /// A picture in an unsupported format, with the name of the format.
    #[error("formato {0}, que no sabemos leer")]
    OtherFormat(&'static str),
    /// Something else: a web page, a document, a video, random data.
    #[error("no es una imagen")]
    NotAnImage,
    /// The file begins like a picture, but the rest is not valid.
    #[error("la imagen está dañada")]
    Damaged,
    /// More than [`MAX_PIXELS`](crate::MAX_PIXELS).
    #[error("demasiado grande: más de 50 megapíxeles")]
    TooManyPixels,
    /// A side of more than [`MAX_SIDE`](crate::MAX_SIDE).
    #[error("demasiado grande: más de 30 000 píxeles de lado")]
    TooLong,
    /// Reading it would take more than [`MAX_MEMORY`](crate::MAX_MEMORY).
    #[error("demasiado grande: no cabe en la memoria disponible")]
    TooMuchMemory,
    /// A JPEG with so many scans that reading it would take too long.
    #[error("demasiado compleja: tiene demasiadas capas")]
    TooManyLayers,
}
