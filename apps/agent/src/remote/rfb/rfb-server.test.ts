import { EventEmitter, once } from 'node:events'
import { Duplex, duplexPair } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RfbServer } from './rfb-server.ts'
import type { EncodeJpeg, ScreenCursor, ScreenPicture } from './screen-source.ts'
import { TestViewer } from './test-viewer.ts'

/** A screen of 200 x 130 in memory, and what a viewer did to it. */
function givenScreen({ encodeJpeg }: { encodeJpeg?: EncodeJpeg } = {}) {
  const machine = {
    picture: { width: 200, height: 130, pixels: new Uint32Array(200 * 130).fill(0xff_33_66_99) },
    cursor: undefined as ScreenCursor | undefined,
    copied: undefined as string | undefined,
    pasted: [] as string[],
    input: [] as string[],
    captures: 0,
    /** How many rows each capture read. */
    rows: [] as number[],
    captured: new EventEmitter(),
    troubles: [] as unknown[],
  }
  const [agentSide, viewerSide] = duplexPair()
  const server = new RfbServer(agentSide, {
    screen: {
      readSize: () => ({ width: machine.picture.width, height: machine.picture.height }),
      capture: (rows) => {
        machine.captures += 1
        machine.rows.push(rows?.count ?? 0)
        machine.captured.emit('rows')
        return machine.picture
      },
      readCursor: () => machine.cursor,
      readActivity: () => '',
      [Symbol.dispose]() {},
    },
    input: {
      point: (x, y, buttons) => machine.input.push(`point ${x} ${y} ${buttons}`),
      press: (keysym) => machine.input.push(`press ${keysym}`),
      release: (keysym) => machine.input.push(`release ${keysym}`),
      releaseAll: () => machine.input.push('release all'),
    },
    clipboard: {
      readCopied() {
        const { copied } = machine
        machine.copied = undefined
        return copied
      },
      write: (text) => machine.pasted.push(text),
    },
    encodeJpeg,
    name: 'PC-12',
    onTrouble: (cause) => machine.troubles.push(cause),
  })
  onTestFinished(() => server[Symbol.dispose]())
  return { machine, agentSide, viewerSide, viewer: new TestViewer(ioOf(viewerSide)) }
}

function ioOf(stream: Duplex) {
  let received = Buffer.alloc(0)
  stream.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
  return {
    send: (bytes: Buffer) => void stream.write(bytes),
    async take(count: number) {
      while (received.length < count) await once(stream, 'data')
      const bytes = received.subarray(0, count)
      received = received.subarray(count)
      return bytes
    },
  }
}

const coloursOf = ({ pixels }: ScreenPicture) => pixels.map((pixel) => pixel & 0xff_ff_ff)

/** Draws what an encoder treats differently: one colour, two, some, and many. */
function draw({ pixels, width }: ScreenPicture): void {
  for (const index of pixels.keys()) {
    const [x, y] = [index % width, Math.floor(index / width)]
    if (x >= 64 && x < 128 && y < 64) pixels[index] = (x + y) % 3 === 0 ? 0x12_34_56 : 0xfe_dc_ba
    if (x >= 128 && y < 64) pixels[index] = 0x10_20_30 + (x % 50) * 0x01_00_00
    if (x < 64 && y >= 64) pixels[index] = 0xff_00_00_00 + x * 0x04_01_00 + y
  }
}

test.each([['tight'], ['raw']] as const)('a picture arrives as it is, by %s', async (encoding) => {
  const { machine, viewer } = givenScreen()
  draw(machine.picture)
  expect(await viewer.connect([encoding])).toBe('PC-12')
  expect([viewer.width, viewer.height]).toEqual([200, 130])
  await viewer.see({ incremental: false })
  expect(viewer.pixels).toEqual(coloursOf(machine.picture))
  if (encoding === 'tight')
    expect(viewer.drawn).toMatchObject({
      raw: 0,
      fill: expect.any(Number),
      palette: expect.any(Number),
      copy: 1,
    })
  for (const count of encoding === 'tight' ? [viewer.drawn.fill, viewer.drawn.palette] : [])
    expect(count).toBeGreaterThan(0)
})

test('only changed tiles are sent, and a request without changes waits for one', async () => {
  const { machine, viewer } = givenScreen()
  await viewer.connect(['raw'])
  await viewer.see({ incremental: false })
  const before = viewer.drawn.raw
  const captures = machine.captures
  const seen = viewer.see({ incremental: true })
  while (machine.captures < captures + 3) await new Promise(setImmediate)
  expect(viewer.drawn.raw).toBe(before)
  machine.picture.pixels[199 + 70 * 200] = 0x00_00_ff
  await seen
  expect(viewer.drawn.raw).toBe(before + 1)
  expect(viewer.pixels).toEqual(coloursOf(machine.picture))
})

test('nothing is read from the screen until the viewer requests a picture', async () => {
  const { machine, viewer } = givenScreen()
  await viewer.connect(['tight'])
  await viewer.see({ incremental: false })
  const { captures } = machine
  machine.picture.pixels.fill(0x00_ff_00)
  viewer.point(1, 2)
  viewer.point(3, 4)
  while (machine.input.length < 2) await new Promise(setImmediate)
  expect(machine.captures).toBe(captures)
  await viewer.see({ incremental: true })
  expect(machine.captures).toBe(captures + 1)
})

test('a screen of another size is announced, then sent as a whole', async () => {
  const { machine, viewer } = givenScreen()
  await viewer.connect(['tight', 'size'])
  await viewer.see({ incremental: false })
  machine.picture = { width: 90, height: 300, pixels: new Uint32Array(90 * 300).fill(0x01_02_03) }
  await viewer.see({ incremental: true })
  expect([viewer.width, viewer.height]).toEqual([90, 300])
  await viewer.see({ incremental: true })
  expect(viewer.pixels).toEqual(coloursOf(machine.picture))
})

test('many colours are sent as JPEG if the viewer accepts losses', async () => {
  const asked: string[] = []
  const { machine, viewer } = givenScreen({
    encodeJpeg: (_, { x, y, width, height }, quality) => {
      asked.push(`${x} ${y} ${width} ${height} ${quality}`)
      return Buffer.alloc(20_000, 7)
    },
  })
  draw(machine.picture)
  await viewer.connect(['tight', 'quality'])
  await viewer.see({ incremental: false })
  expect(asked).toEqual(['0 64 64 64 68'])
  expect(viewer.jpegs).toEqual([Buffer.alloc(20_000, 7)])
  viewer.setEncodings(['tight'])
  await viewer.see({ incremental: false })
  expect(asked).toHaveLength(1)
  expect(viewer.pixels).toEqual(coloursOf(machine.picture))
})

test('the shape of the cursor is sent when it changes, with alpha or with a mask', async () => {
  const { machine, viewer } = givenScreen()
  machine.cursor = {
    id: 'arrow',
    width: 2,
    height: 1,
    hotX: 1,
    hotY: 0,
    pixels: new Uint32Array([0xff_11_22_33, 0]),
  }
  await viewer.connect(['tight', 'cursor'])
  await viewer.see({ incremental: false })
  // Two pixels, red first as requested, and a mask in which the first one is set.
  expect(viewer.cursor).toMatchObject({ width: 2, height: 1, hotX: 1, hotY: 0 })
  expect(viewer.cursor?.bytes.toString('hex')).toBe('112233000000000080')
  viewer.setEncodings(['tight', 'cursor', 'alphaCursor'])
  machine.cursor = { ...machine.cursor, pixels: new Uint32Array([0x80_11_22_33, 0]) }
  await viewer.see({ incremental: true })
  expect(viewer.cursor?.bytes.toString('hex')).toBe('1122338000000000')
  machine.cursor = undefined
  await viewer.see({ incremental: true })
  expect(viewer.cursor).toMatchObject({ width: 0, height: 0 })
})

test('keys and the pointer reach the machine, and everything is released at the end', async () => {
  const { machine, viewer, agentSide } = givenScreen()
  await viewer.connect(['tight'])
  viewer.press(0xff_e3, 0x63)
  viewer.point(10, 20, 1)
  while (machine.input.length < 5) await new Promise(setImmediate)
  expect(machine.input).toEqual(['press 65507', 'press 99', 'release 99', 'release 65507', 'point 10 20 1'])
  agentSide.destroy()
  while (machine.input.length < 6) await new Promise(setImmediate)
  expect(machine.input.at(-1)).toBe('release all')
})

test('the clipboard passes any text both ways', async () => {
  const { machine, viewer } = givenScreen()
  await viewer.connect(['tight', 'clipboard'])
  await viewer.see({ incremental: false })
  viewer.requestPicture({ incremental: true })
  machine.copied = 'Hello äöü 雪 €\nline'
  while (viewer.copied.length === 0) await viewer.receive()
  expect(viewer.copied).toEqual(['Hello äöü 雪 €\r\nline'])
  viewer.copy('zurück 雪 €')
  await viewer.receive()
  while (machine.pasted.length === 0) await new Promise(setImmediate)
  expect(machine.pasted).toEqual(['zurück 雪 €'])
})

test('a viewer without the extended clipboard receives Latin-1', async () => {
  const { machine, viewer } = givenScreen()
  await viewer.connect(['tight'])
  machine.copied = 'äöü 雪'
  viewer.requestPicture({ incremental: true })
  while (viewer.copied.length === 0) await viewer.receive()
  expect(viewer.copied).toEqual(['äöü ?'])
})

test.each([
  ['another version', Buffer.from('RFB 003.003\n')],
  ['another sign-in', Buffer.from('RFB 003.008\n\x02')],
  ['an unknown message', Buffer.from('RFB 003.008\n\x01\x01\xfa')],
  ['a text without end', Buffer.from('RFB 003.008\n\x01\x01\x06\0\0\0\x7f\0\0\0', 'latin1')],
  ['another pixel format', Buffer.concat([Buffer.from('RFB 003.008\n\x01\x01'), Buffer.alloc(20)])],
])('%s ends the session', async (_, bytes) => {
  const { machine, agentSide, viewerSide } = givenScreen()
  viewerSide.resume().write(bytes)
  await once(agentSide, 'close')
  expect(machine.troubles).toHaveLength(1)
})

test('a quiet screen is read in parts, with the rows that changed last, and as a whole after a key', async () => {
  const { machine, viewer } = givenScreen()
  machine.picture = { width: 64, height: 64 * 16, pixels: new Uint32Array(64 * 64 * 16) }
  await viewer.connect(['raw', 'size'])
  for (const incremental of [true, false]) await viewer.see({ incremental })
  const seen = viewer.see({ incremental: true })
  while (!machine.rows.includes(128)) await once(machine.captured, 'rows')
  machine.picture.pixels.fill(0x12_34_56, 0, 64)
  await seen
  expect(viewer.colourAt(0, 0)).toBe(0x12_34_56)
  machine.rows.length = 0
  viewer.requestPicture({ incremental: true })
  while (machine.rows.length < 3) await once(machine.captured, 'rows')
  // Two rows of tiles, and the changed one, unless it is among them.
  expect(machine.rows.every((count) => count === 128 || count === 64)).toBe(true)
  viewer.key(0x61, true)
  while (!machine.rows.includes(64 * 16)) await once(machine.captured, 'rows')
})

test('a quiet screen is read seldom after a caret has blinked, and often while something moves', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { machine, viewer } = givenScreen()
  await viewer.connect(['raw', 'size'])
  /** Milliseconds until the viewer sees a picture. */
  const see = async (incremental: boolean) => {
    const [startMs, seen] = [performance.now(), viewer.see({ incremental })]
    let isSeen = false
    void seen.then(() => (isSeen = true))
    while (!isSeen) await vi.advanceTimersByTimeAsync(1)
    return performance.now() - startMs
  }
  const blink = () => (machine.picture.pixels[0] = (machine.picture.pixels[0] ?? 0) ^ 0xff)
  await see(false)
  blink()
  await see(true)
  await vi.advanceTimersByTimeAsync(2000)
  const times: number[] = []
  for (let count = 0; count < 6; count += 1) {
    blink()
    times.push(await see(true))
  }
  expect(times.slice(1, 3).every((ms) => ms > 200)).toBe(true)
  expect(times.slice(4).every((ms) => ms < 100)).toBe(true)
})
