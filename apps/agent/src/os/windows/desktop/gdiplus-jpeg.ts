import type { EncodeJpeg } from '../../../remote/rfb/screen-source.ts'
import { type Call, type Handle, loadKoffi, type Out } from '../win32.ts'
import { bindDesktop } from './bind-desktop.ts'

interface GdiPlus {
  start: (token: Out<Handle>, input: Buffer, output: null) => number
  createPicture: Call<
    [width: number, height: number, stride: number, format: number, pixels: Buffer, picture: Out<Handle>]
  >
  save: (picture: Handle, stream: Handle, encoder: Buffer, parameters: Buffer) => number
  dispose: (picture: Handle) => number
}

const GDIPLUS = {
  start: 'int __stdcall GdiplusStartup(_Out_ uintptr_t *, uint8_t *, void *)',
  createPicture: 'int __stdcall GdipCreateBitmapFromScan0(int, int, int, int, uint8_t *, _Out_ uintptr_t *)',
  save: 'int __stdcall GdipSaveImageToStream(uintptr_t, uintptr_t, uint8_t *, uint8_t *)',
  dispose: 'int __stdcall GdipDisposeImage(uintptr_t)',
}

interface Streams {
  create: (bytes: null, size: 0) => Handle
  size: (stream: Handle, bytes: Out<number>) => number
  rewind: (stream: Handle) => number
  read: (stream: Handle, to: Buffer, bytes: number) => number
  release: (stream: [Handle]) => void
}

const SHCORE = {
  create: 'uintptr_t __stdcall SHCreateMemStream(void *, uint32_t)',
  size: 'int __stdcall IStream_Size(uintptr_t, _Out_ uint64_t *)',
  rewind: 'int __stdcall IStream_Reset(uintptr_t)',
  read: 'int __stdcall IStream_Read(uintptr_t, uint8_t *, uint32_t)',
  release: 'void __stdcall IUnknown_AtomicRelease(_Inout_ uintptr_t *)',
}

const WITHOUT_ALPHA = 0x02_20_09 // PixelFormat32bppRGB
/** The encoder of image/jpeg, and its parameter "quality". */
const JPEG_ENCODER = Buffer.from('01f47c55041ad3119a730000f81ef32e', 'hex')
const QUALITY = Buffer.from('b5e45b1d4afa2d459cdd5db35105e7eb', 'hex')
const NUMBER = 4

/** The JPEG encoder that Windows has. Its picture is read from the given pixels, without a copy. */
export async function loadJpeg(): Promise<EncodeJpeg> {
  const koffi = await loadKoffi()
  const gdi = await bindDesktop<GdiPlus>('gdiplus.dll', GDIPLUS)
  const streams = await bindDesktop<Streams>('shcore.dll', SHCORE)
  // GdiplusStartupInput: the version first.
  const input = Buffer.alloc(24)
  input.writeUInt32LE(1)
  must('GdiplusStartup', gdi.start([0], input, null))
  const value = Buffer.alloc(4)
  // EncoderParameters with one parameter: its count, and from byte 8 on its name, count, type and address.
  const parameters = Buffer.alloc(40)
  parameters.writeUInt32LE(1)
  QUALITY.copy(parameters, 8)
  parameters.writeUInt32LE(1, 24)
  parameters.writeUInt32LE(NUMBER, 28)
  parameters.writeBigUInt64LE(koffi.address(value), 32)
  return ({ width, pixels }, area, quality) => {
    value.writeUInt32LE(quality)
    const from = pixels.byteOffset + (area.y * width + area.x) * 4
    const bytes = Buffer.from(pixels.buffer, from, ((area.height - 1) * width + area.width) * 4)
    const picture: Out<Handle> = [0]
    const created = gdi.createPicture(area.width, area.height, width * 4, WITHOUT_ALPHA, bytes, picture)
    must('GdipCreateBitmapFromScan0', created)
    const stream = streams.create(null, 0)
    try {
      must('GdipSaveImageToStream', gdi.save(picture[0], stream, JPEG_ENCODER, parameters))
      const size: Out<number> = [0]
      streams.size(stream, size)
      streams.rewind(stream)
      const jpeg = Buffer.alloc(Number(size[0]))
      streams.read(stream, jpeg, jpeg.length)
      return jpeg
    } finally {
      gdi.dispose(picture[0])
      streams.release([stream])
    }
  }
}

function must(name: string, status: number): void {
  if (status !== 0) throw new Error(`${name} failed with status ${status}`)
}
