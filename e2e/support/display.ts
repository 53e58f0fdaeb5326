import { once } from 'node:events'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

interface DisplayOptions {
  size?: string
  /** Program in the window; null = no window. */
  command?: string[] | null
  look?: string[]
}

/** A window that fills the screen, in which programs may use the clipboard. */
const FULL = ['-fullscreen', '-fa', 'monospace', '-fs', '14', '-xrm', 'XTerm*allowWindowOps: true']

/** A desktop without a screen: an X server, and one window, a terminal that fills it. */
export class TestDisplay implements AsyncDisposable {
  readonly name: string
  #children: ChildProcess[]

  private constructor(name: string, children: ChildProcess[]) {
    this.name = name
    this.#children = children
  }

  /** `look`: options of xterm. */
  static async open({ size = '1280x800', command = ['sh'], look = FULL }: DisplayOptions = {}) {
    const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-noreset']
    const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    // The fourth of `stdio`, a pipe to read from.
    const [number] = (await once(server.stdio[3] as Readable, 'data')) as [Buffer]
    const name = `:${number.toString().trim()}`
    if (command === null) return new TestDisplay(name, [server])
    const window = spawn('xterm', [...look, '-e', ...command], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], DISPLAY: name, HOME: '/nonexistent', PS1: 'ready> ' },
    })
    return new TestDisplay(name, [window, server])
  }

  /** Where the buttons of a window with this title are, from the left: the lowest windows within it. */
  findButtons(title: string): { x: number; y: number }[] {
    const tree = execFileSync('xwininfo', ['-display', this.name, '-root', '-tree'], { encoding: 'utf8' })
    const lines = tree.split('\n')
    const first = lines.findIndex((line) => line.includes(`"${title}"`))
    if (first < 0) return []
    const depth = indentOf(lines[first])
    const next = lines.findIndex((line, index) => index > first && indentOf(line) <= depth)
    const places = lines.slice(first + 1, next).flatMap((line) => {
      const [, width, height, x, y] = /(\d+)x(\d+)\+-?\d+\+-?\d+ +\+(\d+)\+(\d+)$/.exec(line) ?? []
      return y === undefined ? [] : [{ x: Number(x) + Number(width) / 2, y: Number(y) + Number(height) / 2 }]
    })
    const lowest = Math.max(...places.map(({ y }) => y))
    return places.filter(({ y }) => y === lowest).toSorted((one, other) => one.x - other.x)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  }
}

const indentOf = (line = '') => line.length - line.trimStart().length
