import type {
  Area,
  Monitor,
  ScreenCursor,
  ScreenPicture,
  ScreenSource,
} from '../../../remote/rfb/screen-source.ts'
import { type Call, type Handle, loadKoffi, type Out } from '../win32.ts'
import { bindDesktop } from './bind-desktop.ts'
import type { InputDesktop } from './input-desktop.ts'
import type { User32 } from './user32.ts'

interface Gdi32 {
  createDc: (context: Handle) => Handle
  deleteDc: (context: Handle) => number
  createPicture: Call<
    [context: Handle, info: Buffer, usage: 0, bits: Out<Handle>, section: null, offset: 0],
    Handle
  >
  select: (context: Handle, object: Handle) => Handle
  deleteObject: (object: Handle) => number
  copy: Call<
    [
      to: Handle,
      x: number,
      y: number,
      width: number,
      height: number,
      from: Handle,
      left: number,
      top: number,
      operation: number,
    ]
  >
  flush: () => number
  describe: (object: Handle, size: number, bitmap: Buffer) => number
}

const GDI32 = {
  createDc: 'uintptr_t __stdcall CreateCompatibleDC(uintptr_t)',
  deleteDc: 'int __stdcall DeleteDC(uintptr_t)',
  createPicture:
    'uintptr_t __stdcall CreateDIBSection(uintptr_t, uint8_t *, uint32_t, _Out_ uintptr_t *, void *, uint32_t)',
  select: 'uintptr_t __stdcall SelectObject(uintptr_t, uintptr_t)',
  deleteObject: 'int __stdcall DeleteObject(uintptr_t)',
  copy: 'int __stdcall BitBlt(uintptr_t, int, int, int, int, uintptr_t, int, int, uint32_t)',
  flush: 'int __stdcall GdiFlush()',
  describe: 'int __stdcall GetObjectW(uintptr_t, int, uint8_t *)',
}

const SRCCOPY = 0x00_cc_00_20
/** SM_XVIRTUALSCREEN and the three after it: the rectangle of all monitors. */
const VIRTUAL_SCREEN = 76
const PER_MONITOR_AWARE = -4
/** DI_NORMAL: image and mask. */
const DRAW_NORMAL = 3
const CURSOR_SHOWING = 1
const ARROW = 32_512
/** CURSORINFO, ICONINFO, BITMAP and LASTINPUTINFO on 64 bits. */
const CURSOR_INFO_BYTES = 24
const ICON_INFO_BYTES = 32
const BITMAP_BYTES = 32
const LAST_INPUT_BYTES = 8
const MAX_CURSOR_PIXELS = 256

/** Reads the screen of this session by GDI, which every Windows has. Rows of the picture are not copied. */
export class GdiScreen implements ScreenSource {
  #gdi: Gdi32
  #user32: User32
  #view: (address: Handle, bytes: number) => ArrayBuffer
  #desktop: InputDesktop
  #monitor: string | undefined
  #area: Area
  #drawing: Drawing | undefined
  #cursor: ScreenCursor | undefined

  private constructor(
    gdi: Gdi32,
    view: (address: Handle, bytes: number) => ArrayBuffer,
    { user32, desktop, monitor }: { user32: User32; desktop: InputDesktop; monitor: string | undefined },
  ) {
    this.#gdi = gdi
    this.#view = view
    this.#user32 = user32
    this.#desktop = desktop
    this.#monitor = monitor
    this.#area = this.#readArea()
  }

  /** `monitor`: a name of `listMonitors`; undefined = all of them. */
  static async open(options: { user32: User32; desktop: InputDesktop; monitor: string | undefined }) {
    // Otherwise Windows scales what this process sees of a screen with large text. Refused on the second call.
    options.user32.setDpiAwareness(PER_MONITOR_AWARE)
    const koffi = await loadKoffi()
    const gdi = await bindDesktop<Gdi32>('gdi32.dll', GDI32)
    return new GdiScreen(gdi, (address, bytes) => koffi.view(address, bytes), options)
  }

  [Symbol.dispose](): void {
    this.#release()
  }

  /** The shown part in the coordinates of Windows. */
  get area(): Area {
    return this.#area
  }

  readSize(): { width: number; height: number } {
    // A desktop that was left has no size.
    this.#desktop.follow()
    const { x, y, width, height } = this.#readArea()
    if (width <= 0 || height <= 0) throw new Error('Windows changes to another desktop')
    const now = this.#area
    if (x !== now.x || y !== now.y || width !== now.width || height !== now.height) this.#release()
    this.#area = { x, y, width, height }
    return { width, height }
  }

  capture({ from, count } = { from: 0, count: this.#area.height }): ScreenPicture {
    const name = this.#desktop.follow()
    if (this.#drawing?.desktop !== name) this.#release()
    const { width, height, x, y } = this.#area
    this.#drawing ??= this.#createDrawing(width, height, name)
    const { context, screen, pixels } = this.#drawing
    const isCopied = this.#gdi.copy(context, 0, from, width, count, screen, x, y + from, SRCCOPY)
    this.#gdi.flush()
    if (isCopied === 0) {
      this.#release()
      throw new Error('Windows refused to copy the screen')
    }
    return { width, height, pixels }
  }

  readCursor(): ScreenCursor | undefined {
    const info = Buffer.alloc(CURSOR_INFO_BYTES)
    info.writeUInt32LE(info.length)
    if (this.#user32.cursorInfo(info) === 0 || (info.readUInt32LE(4) & CURSOR_SHOWING) === 0) return undefined
    const icon = info.readBigUInt64LE(8)
    const id = String(icon)
    // Wine shows no shapes of other programs.
    if (this.#cursor?.id !== id)
      this.#cursor = this.#drawCursor(id, icon) ?? this.#drawCursor(id, this.#user32.loadCursor(0, ARROW))
    return this.#cursor
  }

  readActivity(): string {
    const info = Buffer.alloc(LAST_INPUT_BYTES)
    info.writeUInt32LE(info.length)
    this.#user32.lastInput(info)
    return `${info.readUInt32LE(4)} ${this.#user32.foregroundWindow()}`
  }

  #readArea(): Area {
    const [x = 0, y = 0, width = 0, height = 0] = [0, 1, 2, 3].map((index) =>
      this.#user32.metric(VIRTUAL_SCREEN + index),
    )
    const monitor = this.#monitor
    if (monitor === undefined) return { x, y, width, height }
    const found = listMonitors(this.#user32).find(({ name }) => name === monitor)
    // A monitor that was unplugged leaves the others.
    if (found === undefined) return { x, y, width, height }
    return { x: found.left, y: found.top, width: found.width, height: found.height }
  }

  #createDrawing(width: number, height: number, desktop: string): Drawing {
    const screen = this.#user32.getDc(null)
    const context = this.#gdi.createDc(screen)
    const bits: Out<Handle> = [0]
    const bitmap = this.#gdi.createPicture(screen, describePicture(width, height), 0, bits, null, 0)
    if (Number(bitmap) === 0) {
      this.#gdi.deleteDc(context)
      this.#user32.releaseDc(null, screen)
      throw new Error(`Windows has no memory for a picture of ${width} x ${height}`)
    }
    this.#gdi.select(context, bitmap)
    const pixels = new Uint32Array(this.#view(bits[0], width * height * 4))
    return { desktop, screen, context, bitmap, pixels }
  }

  #release(): void {
    if (this.#drawing === undefined) return
    const { context, bitmap, screen } = this.#drawing
    this.#drawing = undefined
    this.#gdi.deleteDc(context)
    this.#gdi.deleteObject(bitmap)
    this.#user32.releaseDc(null, screen)
  }

  #drawCursor(id: string, icon: Handle): ScreenCursor | undefined {
    const info = Buffer.alloc(ICON_INFO_BYTES)
    if (this.#user32.iconInfo(icon, info) === 0) return undefined
    const [mask, colours] = [info.readBigUInt64LE(16), info.readBigUInt64LE(24)]
    const bitmap = Buffer.alloc(BITMAP_BYTES)
    this.#gdi.describe(mask, bitmap.length, bitmap)
    for (const object of [mask, colours]) if (object !== 0n) this.#gdi.deleteObject(object)
    const width = bitmap.readInt32LE(4)
    // Without colours, the upper half is one mask and the lower half another one.
    const height = bitmap.readInt32LE(8) / (colours === 0n ? 2 : 1)
    if (!(width > 0 && height > 0 && width <= MAX_CURSOR_PIXELS && height <= MAX_CURSOR_PIXELS))
      return undefined
    const [onBlack, onWhite] = [0, 0xff_ff_ff].map((background) =>
      this.#drawIcon(icon, { width, height, background }),
    )
    const pixels = onBlack?.map((dark, index) => withAlpha(dark, onWhite?.[index] ?? 0)) ?? new Uint32Array()
    return { id, width, height, hotX: info.readUInt32LE(4), hotY: info.readUInt32LE(8), pixels }
  }

  #drawIcon(
    icon: Handle,
    { width, height, background }: { width: number; height: number; background: number },
  ): Uint32Array {
    const drawing = this.#createDrawing(width, height, '')
    drawing.pixels.fill(background)
    this.#user32.drawIcon(drawing.context, 0, 0, icon, width, height, 0, null, DRAW_NORMAL)
    this.#gdi.flush()
    const pixels = drawing.pixels.slice()
    this.#gdi.deleteDc(drawing.context)
    this.#gdi.deleteObject(drawing.bitmap)
    this.#user32.releaseDc(null, drawing.screen)
    return pixels
  }
}

interface Drawing {
  desktop: string
  screen: Handle
  context: Handle
  bitmap: Handle
  pixels: Uint32Array
}

/** BITMAPINFOHEADER: 32 bits a pixel, the top row first. */
function describePicture(width: number, height: number): Buffer {
  const info = Buffer.alloc(44)
  info.writeUInt32LE(40)
  info.writeInt32LE(width, 4)
  info.writeInt32LE(-height, 8)
  info.writeUInt16LE(1, 12)
  info.writeUInt16LE(32, 14)
  return info
}

/** A pixel drawn on black and on white: what differs shows through. */
function withAlpha(onBlack: number, onWhite: number): number {
  const alpha = 255 - Math.max(0, (onWhite & 0xff) - (onBlack & 0xff))
  if (alpha === 0) return 0
  const channel = (shift: number) => Math.min(255, Math.round((((onBlack >> shift) & 0xff) * 255) / alpha))
  return ((alpha << 24) | (channel(16) << 16) | (channel(8) << 8) | channel(0)) >>> 0
}

const DEVICE_BYTES = 840
const MODE_BYTES = 220
const CURRENT_SETTINGS = 0xff_ff_ff_ff
const ATTACHED = 1
const PRIMARY = 4
const MAX_DEVICES = 64

/** The monitors of this session, the main one first. Sources: DISPLAY_DEVICEW, DEVMODEW. */
export function listMonitors(user32: User32): Monitor[] {
  const found: (Monitor & { isMain: boolean })[] = []
  for (let index = 0; index < MAX_DEVICES; index += 1) {
    const device = Buffer.alloc(DEVICE_BYTES)
    device.writeUInt32LE(device.length)
    if (user32.listDevices(null, index, device, 0) === 0) break
    const flags = device.readUInt32LE(324)
    const path = device.toString('utf16le', 4, 68).replace(/\0.*$/s, '')
    const mode = Buffer.alloc(MODE_BYTES)
    mode.writeUInt16LE(mode.length, 68)
    if ((flags & ATTACHED) === 0 || user32.readMode(path, CURRENT_SETTINGS, mode, 0) === 0) continue
    found.push({
      name: path.replace('\\\\.\\', ''),
      left: mode.readInt32LE(76),
      top: mode.readInt32LE(80),
      width: mode.readUInt32LE(172),
      height: mode.readUInt32LE(176),
      isMain: (flags & PRIMARY) !== 0,
    })
  }
  return found.toSorted((a, b) => Number(b.isMain) - Number(a.isMain))
}
