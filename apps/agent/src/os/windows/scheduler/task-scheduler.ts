import { setImmediate } from 'node:timers/promises'
import { MAX_SYSTEM_TASKS, type SystemTask } from '@muster/contract/agent/scheduler'
import { AgentError, MeasureError } from '../../../errors.ts'
import type { SchedulerTools } from '../../os.ts'
import { type Com, type ComObject, loadCom } from '../com.ts'
import { readDefinition, type TaskDefinition } from './task-definition.ts'

/** TaskScheduler and ITaskService of taskschd.h, and positions of the methods of its interfaces. */
const SERVICE = {
  classId: '0F87369F-A4E5-4CFC-BD3E-73E6154572DD',
  interfaceId: '2FABA4C7-4DA9-4013-9697-20CC3FD40F85',
  getFolder: 7,
  connect: 10,
}
const FOLDER = { path: 8, getFolders: 10, getTask: 13, getTasks: 14 }
const COLLECTION = { count: 7, item: 8 }
const TASK = {
  path: 8,
  state: 9,
  isEnabled: 10,
  setEnabled: 11,
  run: 12,
  lastRun: 15,
  lastResult: 16,
  nextRun: 18,
  xml: 20,
}

const TASK_ENUM_HIDDEN = 1
/** VARIANT_TRUE */
const TRUE = -1
const VARIANT_BYTES = 24
const VT_INT32 = 3
const ROOT = '\\'
const MAX_FOLDER_DEPTH = 16

/** Windows' own scheduler, read by COM: its output does not depend on the language of the system. */
export const windowsScheduler: SchedulerTools = {
  async list(name) {
    const com = await loadCom()
    using root = await openRoot(com)
    if (name !== null) {
      using task = findTask(com, root, name)
      return task === undefined ? [] : [await readTask(com, task)]
    }
    // Not returned without waiting: the folder would be closed first.
    return await listTasks(com, root)
  },
  async change(name, action) {
    const com = await loadCom()
    using root = await openRoot(com)
    using task = findTask(com, root, name)
    if (task === undefined) throw new AgentError(`The task ${name} does not exist.`)
    if (action === 'run') {
      const running = Buffer.alloc(8)
      com.require(task.call(TASK.run, Buffer.alloc(VARIANT_BYTES), running), 'Windows refused')
      com.objectAt(running)?.[Symbol.dispose]()
      return
    }
    com.require(task.call(TASK.setEnabled, action === 'enable' ? TRUE : 0), 'Windows refused')
    const isEnabled = Buffer.alloc(2)
    com.require(task.call(TASK.isEnabled, isEnabled), 'Windows does not state whether the task is enabled')
    if ((isEnabled.readInt16LE() !== 0) !== (action === 'enable'))
      throw new AgentError(`Windows accepted the change, but did not ${action} the task.`)
  },
}

async function openRoot(com: Com): Promise<ComObject> {
  using service = com.create(SERVICE.classId, SERVICE.interfaceId)
  await setImmediate()
  const none = Buffer.alloc(VARIANT_BYTES)
  com.require(service.call(SERVICE.connect, none, none, none, none), 'The Task Scheduler does not respond')
  await setImmediate()
  const found = Buffer.alloc(8)
  com.require(
    com.withText(ROOT, (path) => service.call(SERVICE.getFolder, path, found)),
    'The Task Scheduler has no folder',
  )
  const root = com.objectAt(found)
  if (root === undefined) throw new MeasureError('The Task Scheduler has no folder.')
  return root
}

/** ERROR_FILE_NOT_FOUND and ERROR_PATH_NOT_FOUND as HRESULT. */
const MISSING = [0x80070002, 0x80070003]

function findTask(com: Com, root: ComObject, path: string): ComObject | undefined {
  const found = Buffer.alloc(8)
  const result = com.withText(path, (text) => root.call(FOLDER.getTask, text, found))
  if (MISSING.includes(result >>> 0)) return undefined
  com.require(result, 'Windows refused')
  return com.objectAt(found)
}

/**
 * The tasks below a folder. Each call waits for the process of the scheduler, and each task takes a dozen, so everything
 * else in the agent gets its turn between two calls. Throws MeasureError.
 */
export async function listTasks(com: Com, root: ComObject): Promise<SystemTask[]> {
  const found: SystemTask[] = []
  for await (const task of eachTask(com, root)) {
    found.push(task)
    if (found.length === MAX_SYSTEM_TASKS) break
  }
  return found
}

async function* eachTask(com: Com, folder: ComObject, depth = 0): AsyncGenerator<SystemTask> {
  const path = Buffer.alloc(8)
  const name = folder.call(FOLDER.path, path) < 0 ? 'a folder' : com.takeText(path)
  const folders = { method: FOLDER.getFolders, flags: 0, what: `the folders of ${name}` }
  const tasks = { method: FOLDER.getTasks, flags: TASK_ENUM_HIDDEN, what: `the tasks of ${name}` }
  for (const child of depth === MAX_FOLDER_DEPTH ? [] : eachItem(com, folder, folders)) {
    using open = child
    await setImmediate()
    yield* eachTask(com, open, depth + 1)
  }
  for (const task of eachItem(com, folder, tasks)) {
    using open = task
    await setImmediate()
    yield await readTask(com, open)
  }
  await setImmediate()
}

/** The objects of a collection that a method returns. */
function* eachItem(
  com: Com,
  from: ComObject,
  { method, flags, what }: { method: number; flags: number; what: string },
): Generator<ComObject> {
  const refused = `The Task Scheduler does not list ${what}`
  const list = Buffer.alloc(8)
  com.require(from.call(method, flags, list), refused)
  using collection = com.objectAt(list)
  if (collection === undefined) return
  const count = Buffer.alloc(4)
  com.require(collection.call(COLLECTION.count, count), refused)
  for (let index = 1; index <= count.readInt32LE(); index += 1) {
    const number = Buffer.alloc(VARIANT_BYTES)
    number.writeUInt16LE(VT_INT32)
    number.writeInt32LE(index, 8)
    const item = Buffer.alloc(8)
    // A task that has just been deleted.
    if (collection.call(COLLECTION.item, number, item) < 0) continue
    const object = com.objectAt(item)
    if (object !== undefined) yield object
  }
}

async function readTask(com: Com, task: ComObject): Promise<SystemTask> {
  const read = async (method: number, bytes: number) => {
    const value = Buffer.alloc(bytes)
    const result = task.call(method, value)
    await setImmediate()
    return result < 0 ? undefined : value
  }
  const text = async (method: number) => {
    const value = await read(method, 8)
    return value === undefined ? '' : com.takeText(value)
  }
  const date = async (method: number) => {
    const value = await read(method, 8)
    return value === undefined ? null : dateOf(value.readDoubleLE())
  }
  const isEnabled = Buffer.alloc(2)
  com.require(task.call(TASK.isEnabled, isEnabled), 'Windows does not state whether a task is enabled')
  return describeTask({
    path: await text(TASK.path),
    xml: await text(TASK.xml),
    state: (await read(TASK.state, 4))?.readInt32LE(),
    isEnabled: isEnabled.readInt16LE() !== 0,
    lastRun: await date(TASK.lastRun),
    lastResult: (await read(TASK.lastResult, 4))?.readInt32LE(),
    nextRun: await date(TASK.nextRun),
  })
}

/** TASK_STATE. A queued task waits for its conditions. */
const STATES: Partial<Record<number, SystemTask['state']>> = {
  1: 'disabled',
  2: 'ready',
  3: 'ready',
  4: 'running',
}

interface FoundTask {
  path: string
  xml: string
  state: number | undefined
  isEnabled: boolean
  lastRun: string | null
  /** An HRESULT, or the exit code of the program. */
  lastResult: number | undefined
  nextRun: string | null
}

export function describeTask({ path, xml, state = 0, isEnabled, ...times }: FoundTask): SystemTask {
  const definition = tryRead(xml)
  return {
    name: path,
    description: (definition?.description ?? '').slice(0, 500),
    state: isEnabled ? (STATES[state] ?? 'unknown') : 'disabled',
    can_change: true,
    schedule: (definition?.schedule ?? 'unknown: its definition cannot be read').slice(0, 255),
    command: (definition?.command ?? '').slice(0, 500),
    username: (definition?.user ?? '').slice(0, 255),
    last_run: times.lastRun,
    last_result: times.lastRun === null ? '' : describeResult(times.lastResult),
    next_run: times.nextRun,
  }
}

function tryRead(xml: string): TaskDefinition | undefined {
  try {
    return readDefinition(xml)
  } catch (cause) {
    if (cause instanceof MeasureError) return undefined
    throw cause
  }
}

/** SCHED_S_TASK_RUNNING and SCHED_S_TASK_HAS_NOT_RUN. */
const RUNNING = 0x41301
const NEVER_RUN = 0x41303

function describeResult(result: number | undefined): string {
  if (result === undefined || result === RUNNING || result === NEVER_RUN) return ''
  return result === 0 ? 'success' : `failed (0x${(result >>> 0).toString(16)})`
}

const DAY_MS = 86_400_000

/** A DATE: days since 1899-12-30 in local time; null for the values that mean never. */
export function dateOf(days: number): string | null {
  if (!Number.isFinite(days) || days < 36_526) return null
  const utc = new Date(Date.UTC(1899, 11, 30) + Math.round((days * DAY_MS) / 1000) * 1000)
  const local = new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  )
  return Number.isNaN(local.getTime()) ? null : local.toISOString()
}
