import { accessSync, constants } from 'node:fs'
import type { Socket } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { basename } from 'node:path'
import { withStartUmask } from '../../../platform/files/private-files.ts'
import { serverEnvironment } from '../../scripts/run-on-server.ts'
import { killRemaining, markOf } from './end-web-terminal.ts'
import { createTerminalWriter } from './terminal-writer.ts'

const TAKES_LOGIN = new Set(['bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'sh'])
/** Shells of users who may not have one. */
const NO_SHELL = new Set(['nologin', 'false', 'sync', 'true'])
const HANG_UP_MS = 2000

export interface Shell {
  program: string
  user: string
  /** `onTaken` is called when the terminal has accepted the bytes. */
  write: (bytes: Buffer, onTaken: () => void) => void
  resize: (size: Size) => void
  pause: () => void
  resume: () => void
  /** Sends SIGHUP, and kills what continues for two seconds, and what has left its group. */
  end: () => Promise<void>
}

interface Size {
  cols: number
  rows: number
}

interface ShellEvents {
  onData: (bytes: Buffer) => void
  onExit: (exitCode: number | null) => void
}

/**
 * Starts the shell of the server's own user on a new terminal. Throws an error that names what is missing. Its
 * processes are marked with the session.
 */
export async function openShell(session: string, size: Size, events: ShellEvents): Promise<Shell> {
  const { spawn } = await loadModule()
  const program = chooseShell()
  const user = userInfo().username
  const exited = Promise.withResolvers<void>()
  const pty = startPty(() =>
    spawn(program, TAKES_LOGIN.has(basename(program)) ? ['-l'] : [], {
      name: 'xterm-256color',
      ...size,
      cwd: process.env['HOME'] ?? '/',
      env: {
        ...serverEnvironment(),
        ...markOf(session),
        USER: user,
        LOGNAME: user,
        SHELL: program,
        COLORTERM: 'truecolor',
      },
      // Raw bytes: a character may be split between two of them.
      encoding: null,
    }),
  )
  // With the encoding null it yields bytes, whatever the type says.
  pty.onData((bytes: unknown) => events.onData(bytes as Buffer))
  pty.onExit(({ exitCode, signal }) => {
    exited.resolve()
    events.onExit(signal === undefined || signal === 0 ? exitCode : null)
  })
  // Exists only on POSIX, and not in the types.
  const { _socket: socket, fd } = pty as unknown as { _socket?: Socket; fd?: number }
  const write =
    socket === undefined || fd === undefined
      ? (bytes: Buffer, onTaken: () => void) => {
          pty.write(bytes.toString())
          onTaken()
        }
      : createTerminalWriter(fd, socket)
  return {
    program,
    user,
    write,
    resize: ({ cols, rows }) => pty.resize(cols, rows),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    end: async () => {
      pty.resume()
      if (process.platform === 'win32') pty.kill()
      else signalGroup(pty.pid, 'SIGHUP')
      const timer = setTimeout(() => signalGroup(pty.pid, 'SIGKILL'), HANG_UP_MS)
      await exited.promise
      clearTimeout(timer)
      await killRemaining(session)
    },
  }
}

async function loadModule(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty')
  } catch (cause) {
    const message = `The server on ${hostname()} has no terminal module for ${process.platform} ${process.arch}. Install its packages again, including the optional ones.`
    throw new Error(message, { cause })
  }
}

/** The user's own. In a container that user may have none, or no name. */
function chooseShell(): string {
  if (process.platform === 'win32') return 'powershell.exe'
  const own = ownShell()
  const wanted = own === undefined || NO_SHELL.has(basename(own)) ? [] : [own]
  const found = [...wanted, '/bin/bash', '/bin/sh'].find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    `No shell was found on ${hostname()}: the server's user has none, and /bin/bash and /bin/sh are missing. Install one.`,
  )
}

function ownShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined
  } catch {
    return undefined
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function startPty<Pty>(start: () => Pty): Pty {
  try {
    return withStartUmask(start)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no reason given'
    const message = `The server on ${hostname()} cannot open a terminal (${reason.slice(0, 200)}). A container needs /dev/ptmx and /dev/pts.`
    throw new Error(message, { cause })
  }
}

/** The shell leads its process group. */
function signalGroup(pid: number, signal: 'SIGHUP' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // None of them is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
