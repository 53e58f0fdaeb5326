import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_REMOTE_RULES, type RemoteRules } from '@muster/rules/remote/remote-rules'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startDisplay, TestDesktop, type XDisplay } from '../src/remote/desktop/test-desktop.ts'
import { TestViewer } from '../src/remote/rfb/test-viewer.ts'
import { GOOD_TOKEN, TestServer } from '../src/testing/test-server.ts'
import type { DesktopStep } from './drive-desktop.ts'
import { runInWine } from './run-in-wine.ts'
import { WineMachine, windowsPath } from './wine-machine.ts'

const CONTROL = 0xff_e3
const ALT = 0xff_e9
const DELETE = 0xff_ff
const DATA = 'C:\\ProgramData\\Muster Agent'
let display: XDisplay
let machine: WineMachine
let agent: string[]
const server = new TestServer()

beforeAll(async () => {
  display = await startDisplay('1280x800')
  machine = await WineMachine.start({ display: display.name })
  const url = `http://127.0.0.1:${await server.listen()}`
  agent = machine.layProgram('C:\\Muster')
  const data = ['--data', DATA]
  const code = await machine.run([...agent, 'enrol', '--server', url, '--token', GOOD_TOKEN, ...data])
  if (code !== 0) throw new Error(machine.readOutput())
  // Other desktops of Wine have no size after another one was shown.
  machine.start(['explorer', '/desktop=Default,1280x800', 'notepad'])
  machine.start([...agent, 'run', ...data])
  await server.until(() => server.answers.length > 0)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await machine[Symbol.asyncDispose]()
  await display[Symbol.asyncDispose]()
})

async function givenViewer(encodings: Parameters<TestViewer['connect']>[0], from = server) {
  const desktop = new TestDesktop(from)
  onTestFinished(async () => {
    if (from.socket === undefined) return
    if (desktop.end === undefined) desktop.close('closed')
    await desktop.reported()
  })
  const opened = await desktop.opened()
  const viewer = new TestViewer({
    take: (count) => desktop.viewer.take(count),
    send: (bytes) => desktop.send(bytes),
  })
  await viewer.connect(encodings)
  return { desktop, opened, viewer }
}

/** Receives pictures until they show what is expected. */
async function seeUntil(viewer: TestViewer, isShown: () => boolean): Promise<void> {
  await viewer.see({ incremental: false })
  while (!isShown()) await viewer.see({ incremental: true })
}

/** The white page of Notepad covers much of the screen. */
const hasPage = ({ pixels }: TestViewer) =>
  pixels.reduce((count, pixel) => count + Number(pixel === 0xff_ff_ff), 0) > 200_000

test('the desktop is shown without a VNC server, with its size, its programs and its cursor', async () => {
  const { opened, viewer } = await givenViewer(['tight', 'alphaCursor', 'size'])
  expect(opened).toMatchObject({
    server: 'Muster',
    password: null,
    display: 'DISPLAY1',
    displays: ['DISPLAY1'],
  })
  expect([viewer.width, viewer.height]).toEqual([1280, 800])
  await seeUntil(viewer, () => hasPage(viewer))
  expect(viewer.drawn).toMatchObject({ raw: 0, jpeg: 0 })
  const byTight = viewer.pixels
  const { viewer: other } = await givenViewer(['raw'])
  await seeUntil(other, () => hasPage(other))
  const differing = byTight.reduce((count, pixel, at) => count + Number(pixel !== other.pixels[at]), 0)
  // Notepad's caret blinks.
  expect(differing).toBeLessThan(200)
  viewer.point(200, 200)
  while ((viewer.cursor?.width ?? 0) === 0) await viewer.see({ incremental: true })
  expect(viewer.cursor?.bytes.some((byte) => byte !== 0)).toBe(true)
})

test('typed text comes back through the clipboard, and a pasted one is typed in', async () => {
  const { viewer } = await givenViewer(['tight', 'clipboard'])
  await givenEmptyPage(viewer)
  viewer.type('Hello äöü 雪 €')
  await expectText(viewer, 'Hello äöü 雪 €')
  await givenEmptyPage(viewer)
  viewer.copy('zurück 雪\nline 2')
  while (viewer.provided === 0) await viewer.receive()
  viewer.press(CONTROL, 0x76)
  await expectText(viewer, 'zurück 雪\r\nline 2')
})

/** Empties Notepad's page. Until it has the focus, keys are lost, or arrive without their Control key. */
async function givenEmptyPage(viewer: TestViewer): Promise<void> {
  const repeat = async (type: () => void, isDone: () => boolean) => {
    do {
      viewer.point(300, 300, 1)
      viewer.point(300, 300, 0)
      type()
      await viewer.see({ incremental: false })
    } while (!hasPage(viewer) || !isDone())
  }
  const type = () => viewer.type('x')
  await repeat(type, () => countDarkColumns(viewer) > CARET_COLUMNS)
  const empty = () => {
    viewer.press(CONTROL, 0x61)
    viewer.press(DELETE)
  }
  await repeat(empty, () => countDarkColumns(viewer) <= CARET_COLUMNS)
}

const CARET_COLUMNS = 2

/** In the first line of the page, which starts below the menu. */
function countDarkColumns({ pixels, width }: TestViewer): number {
  const columns = new Set<number>()
  for (let y = 54; y < 68; y += 1)
    for (let x = 9; x < 730; x += 1) if (pixels[y * width + x] !== 0xff_ff_ff) columns.add(x)
  return columns.size
}

/** Copies the page until the text arrives: another program may have the clipboard open meanwhile. */
async function expectText(viewer: TestViewer, text: string): Promise<void> {
  for (let attempt = 0; attempt < 100 && viewer.copied.at(-1) !== text; attempt += 1) {
    for (const key of [0x61, 0x63]) viewer.press(CONTROL, key)
    await viewer.see({ incremental: false })
  }
  expect(viewer.copied.at(-1)).toBe(text)
}

const drive = (steps: DesktopStep[]) =>
  runInWine<DesktopStep[], unknown[]>(machine, 'drive-desktop.ts', steps)

test('the encoder of Windows makes a JPEG of the screen', async () => {
  const [answer] = await drive([{ encode: 'jpeg' }])
  const jpeg = Buffer.from(String(answer), 'base64')
  expect(jpeg.subarray(0, 3).toString('hex')).toBe('ffd8ff')
  expect(jpeg.subarray(-2).toString('hex')).toBe('ffd9')
})

test('a process is started in the session of the signed-in user, as that user and as the service', async () => {
  const file = join(machine.folder, 'started.txt')
  const start = `fs.appendFileSync(${JSON.stringify(windowsPath(file))}, process.env.GREETING + process.argv[1]); process.exit(3)`
  const steps = (['user', 'system'] as const).map((account) => ({
    start,
    account,
    args: ['"two words" \\'],
  }))
  const [user, ...codes] = await drive([{ find: 'user' }, ...steps])
  expect(user).not.toBe('')
  expect(codes).toEqual([3, 3])
  expect(readFileSync(file, 'utf8')).toBe('hello 雪"two words" \\'.repeat(2))
})

let revisions = 0
function setRules(rules: Partial<RemoteRules>): void {
  revisions += 1
  const input = {
    revision: `r${revisions}`,
    rules: { ...DEFAULT_REMOTE_RULES, consent_seconds: 60, ...rules },
  }
  server.command(server.sign('set-remote-rules', input))
}

const listNotepads = () => machine.listProcesses().filter((line) => /^(\S*\\)?notepad(\.exe)?$/.test(line))
const listDialogs = () => machine.listProcesses().filter((line) => line.endsWith(' dialog'))

describe('as a service', () => {
  beforeAll(async () => {
    machine.kill(/agent\.mjs run/)
    await server.until(() => server.socket === undefined)
    const variables = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment'
    await machine.run(['reg', 'add', variables, '/v', 'DISPLAY', '/d', display.name, '/f'])
    const up = server.untilUp()
    if ((await machine.run([...agent, 'install'])) !== 0) throw new Error(machine.readOutput())
    await up
  })

  test('Ctrl+Alt+Del reaches the service, which alone may request it', async () => {
    const { viewer } = await givenViewer(['tight'])
    viewer.press(CONTROL, ALT, DELETE)
    const readLog = () => readFileSync(machine.hostPath(`${DATA}\\agent.log`), 'utf8')
    await expect.poll(readLog).toContain('Wine has no SendSAS')
  })

  test.each([
    { answer: 'Yes', key: 0x79 },
    { answer: 'No', key: 0x6e },
  ])('the user at the machine is asked, and answers $answer', async ({ answer, key }) => {
    setRules({ consent: 'require', banner: true })
    onTestFinished(() => setRules({}))
    const desktop = new TestDesktop(server, undefined, { person: 'Ada Winter (ada)' })
    await expect.poll(() => listDialogs().length).toBeGreaterThan(0)
    // Repeated, because the window may not be there yet.
    while (desktop.end === undefined && desktop.news.length === 0)
      await drive([{ press: [ALT, key], window: 'Remote access' }])
    if (answer === 'No') {
      expect(desktop.end).toEqual({ code: 'refused', message: 'The user at the machine refused.' })
    } else {
      await desktop.opened()
      // The notice stays until the session ends.
      await expect.poll(() => listDialogs().length).toBe(1)
      desktop.close('closed')
      await desktop.reported()
    }
    await expect.poll(() => listDialogs()).toEqual([])
  })

  test('the end of a session, and of its process, leaves nothing running', async () => {
    const list = () => machine.listProcesses().filter((line) => line.endsWith(' desktop'))
    const { desktop } = await givenViewer(['tight'])
    expect(list()).toHaveLength(1)
    desktop.close('detached')
    await desktop.reported()
    await expect.poll(list).toEqual([])
    const { desktop: second } = await givenViewer(['tight'])
    machine.kill(/ desktop$/)
    expect(await second.ended()).toMatchObject({ code: 'ended' })
    expect(list()).toEqual([])
  })

  test('the user is warned of a restart and postpones it; the screen is locked on request', async () => {
    const id = randomUUID()
    const seconds = 3600
    const due = Date.now() + seconds * 1000
    const plan = { id, action: 'reboot', message: 'Updates', seconds, if_nobody: 'now' } as const
    server.command(server.sign('plan-power', { ...plan, postponements: 1, postpone_seconds: 900 }))
    await expect.poll(() => listDialogs().length).toBe(1)
    const find = () =>
      server.reports.find((report) => report.kind === 'power' && report.id === id && report.postponed === 1)
    // Repeated, because the window may not be there yet.
    while (find() === undefined) await drive([{ press: [ALT, 0x79], window: 'Restart planned' }])
    const postponed = find()
    // The clock of Wine may be some milliseconds behind.
    expect(Date.parse(postponed?.kind === 'power' ? postponed.due : '')).toBeGreaterThan(due + 899_000)
    const replies = () => server.frames.flatMap((frame) => (frame.type === 'reply' ? [frame.refused] : []))
    const before = replies().length
    server.command(server.sign('cancel-power', { id }))
    server.command(server.sign('change-power', { action: 'lock' }))
    expect(await server.until(() => replies().length >= before + 2 && replies().slice(before))).toEqual([
      null,
      null,
    ])
    await expect.poll(() => listDialogs()).toEqual([])
  })

  test("the desktop of the user is shown, the one that takes its place, and the user's again", async () => {
    const { viewer } = await givenViewer(['tight', 'clipboard'])
    await givenEmptyPage(viewer)
    viewer.type('Hello from the service')
    await expectText(viewer, 'Hello from the service')
    // As the lock screen and User Account Control do.
    machine.start(['explorer', '/desktop=Lock,1280x800', 'notepad'])
    await expect.poll(listNotepads).toHaveLength(2)
    expect(await drive([{ switchTo: 'Lock' }])).toEqual(['Lock'])
    await givenEmptyPage(viewer)
    viewer.type('locked')
    await expectText(viewer, 'locked')
    expect(await drive([{ switchTo: 'Default' }])).toEqual(['Default'])
    // Read as text: Wine leaves the window of the other desktop on top, so its picture is not proven.
    await expectText(viewer, 'Hello from the service')
    // In place of the text, which has just been selected.
    viewer.type('unlocked')
    await expectText(viewer, 'unlocked')
  })
})
