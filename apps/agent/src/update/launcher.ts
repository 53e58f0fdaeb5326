import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isMainThread, Worker } from 'node:worker_threads'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import {
  type Current,
  hashFile,
  listVersions,
  MAX_TRIAL_STARTS,
  packagedProgram,
  programFile,
  readCurrent,
  rollBack,
  writeCurrent,
} from './program-folder.ts'
import { RESTART_EXIT_CODE, restartProcess } from './restart-process.ts'

// The launcher of an installed agent: chooses the version and runs it in this process, so that no second program stays
// in memory. It guards a version on trial, whatever that version does: a crash, silence, or a main thread that hangs.

const FOLDER = import.meta.dirname
const SCRIPT = import.meta.filename
/** Arguments of an agent that stays. */
const RUNS: ReadonlySet<string> = new Set(['run', '--run', 'service'])
/** How long an agent may take to stop before it is restarted with the earlier version. */
const STOP_MS = 10_000
/** After the end of a trial, the guard gives the main thread this long to act. */
const HANG_MS = 15_000

if (isMainThread) await launch()
else guard()

async function launch(): Promise<void> {
  const isRun = process.argv.slice(2).some((word) => RUNS.has(word))
  // An agent that has restarted itself for less memory is still the same start. On Windows it never does.
  const isFirst = process.platform === 'win32' || !process.execArgv.includes('--no-opt')
  const chosen = isRun && isFirst ? chooseForStart() : readCurrent(FOLDER)
  const file = findProgram(chosen)
  if (file === undefined) {
    process.stderr.write(`muster-agent: no version of the agent is in ${FOLDER}. Install it again\n`)
    process.exitCode = 1
    return
  }
  if (isRun && chosen?.state === 'trial') watchTrial(chosen)
  await import(pathToFileURL(file).href)
}

/** The chosen program. If it is gone: the one before, the newest that is there, or the one of the package. */
function findProgram(chosen: Current | undefined): string | undefined {
  const versions = [chosen?.current.version, chosen?.previous?.version, ...newestVersions()]
  const files = versions.filter((name) => name !== undefined).map((name) => programFile(FOLDER, name))
  return [...files, packagedProgram(FOLDER)].find((file) => existsSync(file))
}

/** Counts a start of a version on trial, and gives it up when it is damaged or has crashed too often. */
function chooseForStart(): Current | undefined {
  const current = readCurrent(FOLDER)
  if (current?.state !== 'trial') return current
  const { version, sha256 } = current.current
  const file = programFile(FOLDER, version)
  if (!existsSync(file) || hashFile(file) !== sha256)
    return rollBack(FOLDER, 'The program on the disk was damaged before its first start.')
  if (current.starts >= MAX_TRIAL_STARTS)
    return rollBack(FOLDER, `It ended ${current.starts} times before it was connected and acknowledged.`)
  const counted = { ...current, starts: current.starts + 1 }
  writeCurrent(FOLDER, counted)
  return counted
}

function newestVersions(): string[] {
  return listVersions(FOLDER)
    .filter((name) => !name.endsWith('.new'))
    .toSorted((a, b) => compareAgentVersions(b, a))
}

function watchTrial({ trial_seconds: seconds }: Current): void {
  let isOver = false
  const restart = () => restartProcess([SCRIPT, ...process.argv.slice(2)])
  const timer = setTimeout(() => {
    if (readCurrent(FOLDER)?.state !== 'trial') return
    rollBack(FOLDER, `It was not connected and acknowledged within ${seconds} seconds.`)
    isOver = true
    // The agent ends its runs and its link, then the exit below restarts it.
    setTimeout(restart, STOP_MS).unref()
    // Windows has no signals, and would end the process at once.
    if (process.platform === 'win32') process.emit('SIGTERM', 'SIGTERM')
    else process.kill(process.pid, 'SIGTERM')
  }, seconds * 1000)
  timer.unref()
  new Worker(SCRIPT, { argv: [String(seconds * 1000 + HANG_MS)] }).unref()
  process.on('exit', (code) => {
    const hasCrashed = code !== 0 && readCurrent(FOLDER)?.state === 'trial'
    if (!isOver && !hasCrashed) return
    if (process.platform === 'win32') process.exitCode = RESTART_EXIT_CODE
    else restart()
  })
}

/** In a thread of its own: ends a process whose main thread does nothing any more. */
function guard(): void {
  setTimeout(() => {
    if (readCurrent(FOLDER)?.state !== 'trial') return
    rollBack(FOLDER, 'It stopped responding before it was connected and acknowledged.')
    process.kill(process.pid, 'SIGKILL')
  }, Number(process.argv[2]))
}
