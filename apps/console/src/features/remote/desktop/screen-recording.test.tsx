import { getAgent } from '@muster/contract/api/agents'
import { getScreenRecording, listRemoteSessions, type ScreenEvent } from '@muster/contract/api/remote'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const [WIDTH, HEIGHT] = [64, 32]
const COLOURS = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] } as const

function bytesOf(size: number, fill: (view: DataView<ArrayBuffer>) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(size))
  fill(view)
  return new Uint8Array(view.buffer)
}

/** ServerInit: size, a format of pixels, a name of no letters. */
const INIT = bytesOf(24, (view) => {
  view.setUint16(0, WIDTH)
  view.setUint16(2, HEIGHT)
  view.setUint8(4, 32)
  view.setUint8(5, 24)
})

/** FramebufferUpdate with all of the screen in one colour, raw. */
function paint(name: keyof typeof COLOURS): Uint8Array {
  return bytesOf(16 + WIDTH * HEIGHT * 4, (view) => {
    view.setUint16(2, 1)
    view.setUint16(8, WIDTH)
    view.setUint16(10, HEIGHT)
    for (let at = 16; at < view.byteLength; at += 4)
      for (const [index, value] of COLOURS[name].entries()) view.setUint8(at + index, value)
  })
}

const stream = (ms: number, bytes: Uint8Array): ScreenEvent => [ms, 's', btoa(String.fromCodePoint(...bytes))]

const dialog = () => page.getByRole('dialog')
const pixel = () => {
  const canvas = document.querySelector<HTMLCanvasElement>('[aria-label="Recorded desktop"]')
  return [...(canvas?.getContext('2d')?.getImageData(10, 10, 1, 1).data.slice(0, 3) ?? [])]
}

async function openPlayer(last: ScreenEvent[]) {
  const given = await givenDashboard()
  const { server } = given
  server.on(getAgent, () => answer(getAgent, testDetail()))
  server.on(listRemoteSessions, () =>
    answer(listRemoteSessions, [
      {
        id: '6f1c1a52-7d0c-4a6e-9f7e-0c8a3f1f2b11',
        tool: 'desktop',
        username: 'ben',
        ip_address: '10.0.0.7',
        started_at: '2026-11-22T10:00:00.000Z',
        ended_at: '2026-11-22T10:04:10.000Z',
        exit_code: null,
        reason: 'Closed in the console.',
        recording: { bytes: 2048, problem: null },
        receipt: null,
      },
    ]),
  )
  const green = paint('green')
  const pages: ScreenEvent[][] = [
    // A message is cut anywhere, as a line cuts it.
    [stream(0, INIT), stream(100, paint('red')), stream(60_000, green.subarray(0, 1000))],
    [stream(60_000, green.subarray(1000)), [60_500, 'p', '32,16'], ...last],
  ]
  server.on(getScreenRecording, ({ search }) => {
    const after = Number(search.get('after'))
    const next = after === 0 ? 1 : null
    return answer(getScreenRecording, { events: pages[after] ?? [], milliseconds: 61_000, next })
  })
  await given.open('/remotebackground/alpha0000000?tool=sessions')
  await page.getByRole('button', { name: /^Play the recording of ben/ }).click()
}

test('a recorded desktop is played, and any position is shown, forwards and back', async () => {
  await openPlayer([stream(61_000, paint('blue'))])
  await expect.element(dialog().getByText('0:00 / 0:03')).toBeVisible()
  await expect.poll(pixel).toEqual(COLOURS.red)
  const place = dialog().getByRole('slider', { name: 'Position in the recording' })
  await place.click()
  await userEvent.keyboard('{End}')
  await expect.poll(pixel).toEqual(COLOURS.blue)
  await userEvent.keyboard('{Home}{ArrowRight}')
  await expect.poll(pixel).toEqual(COLOURS.red)
  await dialog().getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: '8x' }).click()
  await dialog().getByRole('button', { name: 'Play' }).click()
  await expect.poll(pixel).toEqual(COLOURS.blue)
  await expect.element(dialog().getByText('0:03 / 0:03')).toBeVisible()
  // Where the pointer was, in the middle of the picture.
  const at = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
  const [pointer, picture] = [at('[class*=pointer]:not([hidden])'), at('canvas[role=img]')]
  const middleOf = (rect: DOMRect | undefined) => Math.round((rect?.left ?? 0) + (rect?.width ?? 0) / 2)
  expect(Math.abs(middleOf(pointer) - middleOf(picture))).toBeLessThan(2)
  await dialog().getByRole('switch', { name: 'Skip pauses' }).click()
  await expect.element(dialog().getByText('1:01 / 1:01')).toBeVisible()
})

test('a corrupt recording shows an error, and earlier positions work', async () => {
  await openPlayer([stream(61_000, Uint8Array.of(99, 99, 99))])
  await expect.element(dialog().getByText('0:00 / 0:03')).toBeVisible()
  const place = dialog().getByRole('slider', { name: 'Position in the recording' })
  await place.click()
  await userEvent.keyboard('{End}')
  await expect.element(dialog().getByText(/The rest of the recording cannot be shown/)).toBeVisible()
  await userEvent.keyboard('{Home}{ArrowRight}')
  await expect.poll(pixel).toEqual(COLOURS.red)
  await expect.element(dialog().getByText(/cannot be shown/)).not.toBeInTheDocument()
})
