import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import type { FileNews, FileTask } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { MachineRefused } from '../../os/machine-refused.ts'
import { findProgram, searchPath } from '../../run/find-program.ts'
import type { ChannelRoom } from './channel-room.ts'
import { joinPath, readPath } from './paths.ts'
import { refusePrivate } from './private-folder.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
const LONGEST_COMPLAINT = 2000
/** GNU tar: some files changed while they were read. All else is in the archive. */
const CHANGED = 1

type ArchiveTask = Extract<FileTask, { task: 'archive' }>

/** Sends a file or folder as a compressed archive, made by the system's tar while it is sent. Links stay links. */
export async function sendArchive(room: ChannelRoom, task: ArchiveTask, dataFolder: string): Promise<void> {
  const program = findProgram('tar')
  if (program === undefined) throw new MachineRefused('There is no program tar on this machine.')
  const path = await realpath(joinPath(readPath(task.path)), { encoding: 'buffer' })
  await refusePrivate(path, dataFolder)
  const at = path.lastIndexOf('/')
  const name = path.subarray(at + 1)
  if (name.length === 0) throw new MachineRefused('All of the machine is too much for an archive.')
  const parentPath = at === 0 ? Buffer.from('/') : path.subarray(0, at)
  await using parent = await open(parentPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const shown = showBytes(name).slice(0, 240)
  room.channel.sendText({
    type: 'sending',
    name: `${shown}.tar.gz`,
    size: null,
    offset: 0,
    version: '',
  } satisfies FileNews)
  // Its own folder by number, and the name by standard input: both may be any bytes.
  const child = spawn(
    program,
    [...exclude(parentPath, path, await realpath(dataFolder)), '--null', '-czf', '-', '-T', '-'],
    {
      cwd: `/proc/self/fd/${parent.fd}`,
      env: { PATH: searchPath(), LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  const stop = () => child.kill('SIGKILL')
  room.gone.addEventListener('abort', stop)
  try {
    child.stdin.on('error', () => undefined).end(Buffer.concat([Buffer.from('./'), name, Buffer.from([0])]))
    let complaint = ''
    child.stderr.on('data', (bytes: Buffer) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += bytes.toString()
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    ended.catch(() => undefined)
    // Without an encoding a stream yields buffers.
    for await (const piece of child.stdout) await room.send(piece as Buffer)
    const code = await ended
    if (code !== 0 && code !== CHANGED)
      throw new MachineRefused(`tar gave up: ${showBytes(Buffer.from(lastLine(complaint))).slice(0, 300)}`)
  } finally {
    room.gone.removeEventListener('abort', stop)
    if (child.exitCode === null) stop()
  }
}

/** The agent's own folder stays closed here as well. */
function exclude(parent: Buffer, path: Buffer, dataFolder: string): string[] {
  const within = Buffer.concat([path, Buffer.from('/')])
  const own = Buffer.from(dataFolder)
  if (!own.subarray(0, within.length).equals(within)) return []
  const relative = own.subarray(parent.length).toString().replace(/^\/+/, '')
  return ['--anchored', '--no-wildcards', `--exclude=./${relative}`]
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
