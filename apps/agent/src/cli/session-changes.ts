import { setPriority } from 'node:os'
import { keepSnapshot, compareWithSnapshot } from '../remote/session-changes/snapshot.ts'

const LOWEST = 19

/** Runs in the agent's child process when a session starts. */
export async function writeSnapshotFile(file: string): Promise<void> {
  setPriority(LOWEST)
  await keepSnapshot(file)
}

/** Runs in the agent's child process when a session has ended. Prints the changes as JSON. */
export async function printSessionChanges(file: string): Promise<void> {
  setPriority(LOWEST)
  process.stdout.write(JSON.stringify(await compareWithSnapshot(file)))
}
