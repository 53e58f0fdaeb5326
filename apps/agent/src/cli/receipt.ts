import { setPriority } from 'node:os'
import { keepSnapshot, makeReceipt } from '../remote/receipts/make-receipt.ts'

const LOWEST = 19

/** `snapshot`: what the agent starts when a session begins. */
export async function keepSnapshotOfMachine(file: string): Promise<void> {
  setPriority(LOWEST)
  await keepSnapshot(file)
}

/** `receipt`: what it starts when one has ended; prints what changed as JSON. */
export async function printReceipt(file: string): Promise<void> {
  setPriority(LOWEST)
  process.stdout.write(JSON.stringify(await makeReceipt(file)))
}
