import { bindDesktop } from '../src/os/windows/desktop/bind-desktop.ts'
import { loadUser32 } from '../src/os/windows/desktop/user32.ts'
import type { Handle } from '../src/os/windows/win32.ts'

// Fills a part of the screen sixty times a second with other coloured signs, as a terminal of that size would.
const WIDTH = 636
const HEIGHT = 468
const CELL = { width: 6, height: 13 }
const PICTURES = 30
const PICTURES_PER_SECOND = 60
const COLOURS = [0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd, 0xe5_e5_e5]

const user32 = await loadUser32()
const { draw } = await bindDesktop<{
  draw: (...values: [Handle, 0, 0, number, number, 0, 0, 0, number, Buffer, Buffer, 0]) => number
}>('gdi32.dll', {
  draw: 'int __stdcall SetDIBitsToDevice(uintptr_t, int, int, uint32_t, uint32_t, int, int, uint32_t, uint32_t, uint8_t *, uint8_t *, uint32_t)',
})
const pictures = Array.from({ length: PICTURES }, (_, number) => makePicture(number))
const screen = user32.getDc(null)
const info = describePicture()
let shown = 0
setInterval(() => {
  const picture = pictures[shown % PICTURES] ?? Buffer.alloc(0)
  draw(screen, 0, 0, WIDTH, HEIGHT, 0, 0, 0, HEIGHT, picture, info, 0)
  shown += 1
}, 1000 / PICTURES_PER_SECOND)

function makePicture(number: number): Buffer {
  const pixels = new Uint32Array(WIDTH * HEIGHT)
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const [column, row] = [Math.floor(x / CELL.width), Math.floor(y / CELL.height)]
      const sign = (row * 7 + column * 3 + number * 5) % 94
      const dot = (x % CELL.width) + (y % CELL.height) * CELL.width
      const isDrawn = x % CELL.width < 5 && ((Math.imul(sign + 1, 0x9e_37_79_b1) >>> (dot % 29)) & 1) === 1
      if (isDrawn) pixels[y * WIDTH + x] = COLOURS[(number + row + Math.floor(column / 6)) % 7] ?? 0
    }
  return Buffer.from(pixels.buffer)
}

/** BITMAPINFOHEADER: 32 bits a pixel, the top row first. */
function describePicture(): Buffer {
  const header = Buffer.alloc(44)
  header.writeUInt32LE(40)
  header.writeInt32LE(WIDTH, 4)
  header.writeInt32LE(-HEIGHT, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(32, 14)
  return header
}
