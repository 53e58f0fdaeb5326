/** Pixels have 32 bits: blue in the lowest byte, then green, red, and a byte without meaning. Rows start at the top. */
export interface ScreenPicture {
  width: number
  height: number
  pixels: Uint32Array
}

export interface ScreenCursor {
  /** Changes with the shape of the cursor. */
  id: string
  width: number
  height: number
  hotX: number
  hotY: number
  /** As in `ScreenPicture`, with alpha (0 = transparent) in the highest byte. */
  pixels: Uint32Array
}

export interface Monitor {
  name: string
  left: number
  top: number
  width: number
  height: number
}

/** Reads a screen. All calls are synchronous: the process has no other work. */
export interface ScreenSource extends Disposable {
  /** Current size in pixels. Throws if the screen has none at the moment. */
  readSize(): { width: number; height: number }
  /**
   * Reads some rows of the screen, or all. The rest of the picture is as it was. The picture is valid until the next
   * call. Throws if the screen cannot be read at the moment.
   */
  capture(rows?: { from: number; count: number }): ScreenPicture
  /** Shape of the cursor; undefined = hidden. Called often: unchanged shapes are the same object. */
  readCursor(): ScreenCursor | undefined
  /** Changes when a user at the machine does something. Cheap, unlike `capture`. */
  readActivity(): string
}

/** Sends input to a screen. */
export interface ScreenInput {
  /** Position in pixels of the picture. `buttons`: RFB's mask, 1 = left, 2 = middle, 4 = right, 8 to 64 = wheel. */
  point(x: number, y: number, buttons: number): void
  /** `keysym`: number of the key or character as in X11. */
  press(keysym: number): void
  release(keysym: number): void
  /** Releases everything that is pressed. */
  releaseAll(): void
}

export interface ScreenClipboard {
  /** Text that was copied since the last call; undefined = none. */
  readCopied(): string | undefined
  write(text: string): void
}

/** Encodes a part of a picture as JPEG. `quality`: 0 to 100. */
export type EncodeJpeg = (picture: ScreenPicture, area: Area, quality: number) => Buffer

export interface Area {
  x: number
  y: number
  width: number
  height: number
}
