import { setPriority } from 'node:os'
import { keepSnapshot, makeReceipt } from '../remote/receipts/make-receipt.ts'

const LOWEST = 19

/** Runs in the agent's child process when a session starts. */
export async function keepSnapshotOfMachine(file: string): Promise<void> {
  setPriority(LOWEST)
  await keepSnapshot(file)
}

/** Runs in the agent's child process when a session has ended. Prints the changes as JSON. */
export async function printReceipt(file: string): Promise<void> {
  setPriority(LOWEST)
  process.stdout.write(JSON.stringify(await makeReceipt(file)))
}
