//! Why there is no picture, in words for the placeholder that stands in its place.

/// Why a picture could not be made. Its text is a short Spanish clause: «No se muestra: {motivo}.»
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// No bytes at all.
    #[error("la imagen está vacía")]
    Empty,
    /// An iPhone's own format: no decoder yet that we would trust with strangers' bytes.
    #[error("formato HEIC, que no se puede leer")]
    Heic,
    /// No sound decoder yet.
    #[error("formato AVIF, que no se puede leer")]
    Avif,
    /// A drawing that may hold scripts and links: never rendered.
    #[error("formato SVG, que no mostramos por seguridad")]
    Svg,
    /// A picture in a format that we do not read; its name.
    #[error("formato {0}, que no sabemos leer")]
    OtherFormat(&'static str),
    /// Something else: a page, a document, a video, noise.
    #[error("no es una imagen")]
    NotAnImage,
    /// It begins like a picture and does not go on like one.
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
    /// A JPEG in so many layers that reading it would take too long.
    #[error("demasiado compleja: tiene demasiadas capas")]
    TooManyLayers,
}
