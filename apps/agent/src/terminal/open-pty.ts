import { basename } from 'node:path'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { makeEnvironment, workingFolder } from '../run/environment.ts'
import { findProgram } from '../run/find-program.ts'
import { describeError } from '../log/log.ts'
import { PtyWriter } from './pty-writer.ts'

const TAKES_LOGIN = new Set(['bash', 'zsh', 'fish', 'dash', 'ksh', 'ash', 'sh'])
/** Shells of users who are not to have one. */
const NO_SHELL = new Set(['nologin', 'false', 'sync', 'true'])

export interface Size {
  cols: number
  rows: number
}

/** A program on a terminal of its own. */
export interface Pty {
  pid: number
  /** `onTaken` is called when the terminal has taken the bytes. */
  write: (bytes: Buffer, onTaken: () => void) => void
  resize: (size: Size) => void
  pause: () => void
  resume: () => void
  /** Hangs up, as a terminal does that is closed. */
  hangUp: () => void
}

export interface PtyEvents {
  onData: (bytes: Buffer) => void
  onExit: (exitCode: number | null) => void
}

/** The shell of the agent's own user. */
export function chooseShell(): { program: string; args: string[] } {
  if (process.platform === 'win32') {
    return { program: findProgram('pwsh', 'powershell', 'cmd') ?? 'cmd.exe', args: [] }
  }
  const own = ownShell()
  const wanted = own === undefined || NO_SHELL.has(basename(own)) ? [] : [own]
  const program = findProgram(...wanted, 'bash', 'sh') ?? '/bin/sh'
  return { program, args: TAKES_LOGIN.has(basename(program)) ? ['-l'] : [] }
}

/**
 * Starts a shell on a new terminal. The native module is loaded with the first one, because most agents never need it;
 * it lies beside the agent's program.
 */
export async function openPty(
  { program, args, marker, size }: { program: string; args: string[]; marker: string; size: Size },
  events: PtyEvents,
): Promise<Pty> {
  const { spawn } = await loadModule()
  const pty = spawn(program, args, {
    name: 'xterm-256color',
    ...size,
    cwd: workingFolder(undefined),
    env: { ...makeEnvironment([], undefined), COLORTERM: 'truecolor', MUSTER_RUN: marker },
    // Bytes as they come: a character may be split between two of them.
    encoding: null,
  })
  // With the encoding null it is bytes that come, whatever the type says.
  pty.onData((bytes: unknown) => events.onData(bytes as Buffer))
  pty.onExit(({ exitCode, signal }) => events.onExit(signal === undefined || signal === 0 ? exitCode : null))
  // There on POSIX only, and in no type.
  const { _socket: socket, fd } = pty as unknown as { _socket?: Socket; fd?: number }
  const writer = socket === undefined || fd === undefined ? undefined : new PtyWriter(fd, socket)
  return {
    pid: pty.pid,
    write(bytes, onTaken) {
      if (writer !== undefined) return writer.write(bytes, onTaken)
      pty.write(bytes.toString())
      onTaken()
    },
    resize: ({ cols, rows }) => pty.resize(cols, rows),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    hangUp: () => (process.platform === 'win32' ? pty.kill() : pty.kill('SIGHUP')),
  }
}

async function loadModule(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty')
  } catch (cause) {
    throw new Error(
      `This agent has no terminal module for ${process.platform} ${process.arch}. Run the install line again. (${describeError(cause).slice(0, 200)})`,
      { cause },
    )
  }
}

function ownShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined
  } catch {
    // In some containers the agent's own user id has no name.
    return undefined
  }
}
