/** Larger pictures are downloaded instead of shown. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024

const IMAGE_NAME = /\.(png|jpe?g|gif|webp|bmp|ico|avif)$/i

/** Whether a name has an extension that browsers draw. Not SVG, which can contain scripts. */
export const isImageName = (name: string): boolean => IMAGE_NAME.test(name)

/** The signatures: at which byte, with which content. */
const BEGINNINGS: readonly (readonly [type: string, at: number, text: string])[] = [
  ['image/png', 0, '\u0089PNG\r\n\u001A\n'],
  ['image/jpeg', 0, '\u00FF\u00D8\u00FF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/bmp', 0, 'BM'],
  ['image/x-icon', 0, '\u0000\u0000\u0001\u0000'],
  ['image/avif', 4, 'ftypavi'],
]

/** The type by content, regardless of the name; undefined = no supported picture. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCodePoint(...bytes.subarray(0, 16))
  return BEGINNINGS.find(([, at, text]) => beginning.startsWith(text, at))?.[0]
}
