import { MAX_SYSTEM_TASKS } from '@muster/contract/agent/scheduler'
import { expect, test } from 'vitest'
import { MeasureError } from '../../../errors.ts'
import type { Com, ComObject } from '../com.ts'
import { listTasks } from './task-scheduler.ts'

const S_OK = 0
const E_NOTIMPL = -2_147_467_263
const XML = '<Task><Actions><Exec><Command>backup.exe</Command></Exec></Actions></Task>'

/** Components by number, as a program that holds them, and counts of calls and of open objects. */
class FakeScheduler {
  #objects: ComObject[] = []
  #texts: string[] = []
  open = 0
  /** Calls since other work had its turn, at most. */
  mostCalls = 0
  #calls = 0
  readonly com: Com = {
    create: () => {
      throw new Error('not used')
    },
    objectAt: (buffer) => this.#objects[Number(buffer.readBigUInt64LE()) - 1],
    require: (result, what) => {
      if (result < 0) throw new MeasureError(`${what}: refused`)
    },
    takeText: (buffer) => this.#texts[Number(buffer.readBigUInt64LE()) - 1] ?? '',
    withText: (_, use) => use(0n),
  }

  /** Methods by their position; each gets the buffer for its answer, the last value. */
  object(methods: Record<number, (answer: Buffer, values: unknown[]) => void>): ComObject {
    const object: ComObject = {
      call: (method, ...values) => {
        this.#calls += 1
        this.mostCalls = Math.max(this.mostCalls, this.#calls)
        const answer = values.at(-1)
        if (methods[method] === undefined || !Buffer.isBuffer(answer)) return E_NOTIMPL
        methods[method](answer, values)
        return S_OK
      },
      [Symbol.dispose]: () => (this.open -= 1),
    }
    this.#objects.push(object)
    return object
  }

  folder(path: string, { folders, tasks }: { folders: ComObject[]; tasks: ComObject[] }): ComObject {
    return this.object({
      8: (answer) => this.#writeText(answer, path),
      10: (answer) => this.#give(answer, this.#collection(folders)),
      14: (answer) => this.#give(answer, this.#collection(tasks)),
    })
  }

  task(path: string): ComObject {
    return this.object({
      8: (answer) => this.#writeText(answer, path),
      9: (answer) => answer.writeInt32LE(3),
      10: (answer) => answer.writeInt16LE(-1),
      15: (answer) => answer.writeDoubleLE(0),
      18: (answer) => answer.writeDoubleLE(0),
      20: (answer) => this.#writeText(answer, XML),
    })
  }

  /** Counts turns of other work until the returned function is called. */
  watchTurns(): () => void {
    let isOver = false
    const turn = () => {
      this.#calls = 0
      if (!isOver) setImmediate(turn)
    }
    turn()
    return () => (isOver = true)
  }

  #collection(items: ComObject[]): ComObject {
    return this.object({
      7: (answer) => answer.writeInt32LE(items.length),
      8: (answer, [number]) => {
        const item = Buffer.isBuffer(number) ? items[number.readInt32LE(8) - 1] : undefined
        if (item !== undefined) this.#give(answer, item)
      },
    })
  }

  #give(answer: Buffer, object: ComObject): void {
    this.open += 1
    answer.writeBigUInt64LE(BigInt(this.#objects.indexOf(object) + 1))
  }

  #writeText(answer: Buffer, text: string): void {
    answer.writeBigUInt64LE(BigInt(this.#texts.push(text)))
  }
}

test('tasks are listed with those in folders, and other work gets its turn between the calls', async () => {
  const scheduler = new FakeScheduler()
  const tasks = Array.from({ length: 200 }, (_, number) => scheduler.task(`\\Vendor\\Task ${number}`))
  const vendor = scheduler.folder('\\Vendor', { folders: [], tasks })
  const root = scheduler.folder('\\', { folders: [vendor], tasks: [scheduler.task('\\Top')] })
  const stopWatching = scheduler.watchTurns()
  const found = await listTasks(scheduler.com, root)
  stopWatching()
  expect(found).toHaveLength(201)
  expect(found[199]).toMatchObject({ name: '\\Vendor\\Task 199', state: 'ready', command: 'backup.exe' })
  expect(found[200]?.name).toBe('\\Top')
  // A folder: its path, the two lists, their numbers, and the first item.
  expect(scheduler.mostCalls).toBeLessThanOrEqual(6)
  expect(scheduler.open).toBe(0)
})

test('a list that is too long ends, and everything is released', async () => {
  const scheduler = new FakeScheduler()
  const tasks = Array.from({ length: MAX_SYSTEM_TASKS + 5 }, (_, number) => scheduler.task(`\\${number}`))
  const root = scheduler.folder('\\', { folders: [], tasks })
  expect(await listTasks(scheduler.com, root)).toHaveLength(MAX_SYSTEM_TASKS)
  expect(scheduler.open).toBe(0)
})

test('a folder that is not listed is named', async () => {
  const scheduler = new FakeScheduler()
  await expect(listTasks(scheduler.com, scheduler.object({}))).rejects.toThrow(
    'The Task Scheduler does not list the folders of a folder: refused',
  )
})
