import { expect, test } from 'vitest'
import { listMonitors } from './gdi-screen.ts'
import type { User32 } from './user32.ts'

const ATTACHED = 1
const PRIMARY = 4
const DEVICES = [
  { path: String.raw`\\.\DISPLAY1`, flags: ATTACHED, mode: [-1920, -120, 1920, 1080] },
  { path: String.raw`\\.\DISPLAY2`, flags: ATTACHED | PRIMARY, mode: [0, 0, 2560, 1440] },
  { path: String.raw`\\.\DISPLAY3`, flags: 0, mode: [0, 0, 640, 480] },
] as const

// The functions that a list needs, with the layout of DISPLAY_DEVICEW and DEVMODEW.
const user32 = {
  listDevices(_: null, index: number, found: Buffer) {
    const device = DEVICES[index]
    if (device === undefined) return 0
    found.write(`${device.path}\0`, 4, 'utf16le')
    found.writeUInt32LE(device.flags, 324)
    return 1
  },
  readMode(path: string, _: number, found: Buffer) {
    const [left = 0, top = 0, width = 0, height = 0] =
      DEVICES.find((device) => device.path === path)?.mode ?? []
    found.writeInt32LE(left, 76)
    found.writeInt32LE(top, 80)
    found.writeUInt32LE(width, 172)
    found.writeUInt32LE(height, 176)
    return 1
  },
} as unknown as User32

test('monitors are listed with their places, the main one first, without unused outputs', () => {
  expect(listMonitors(user32)).toMatchObject([
    { name: 'DISPLAY2', left: 0, top: 0, width: 2560, height: 1440 },
    { name: 'DISPLAY1', left: -1920, top: -120, width: 1920, height: 1080 },
  ])
})
