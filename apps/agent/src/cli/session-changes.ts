import { setPriority } from 'node:os'
import { keepSnapshot, compareWithSnapshot } from '../remote/session-changes/snapshot.ts'
import { LOW } from './reports.ts'

/** Runs in the agent's child process when a session starts. */
export async function writeSnapshotFile(file: string): Promise<void> {
  setPriority(LOW)
  await keepSnapshot(file)
}

/** Runs in the agent's child process when a session has ended. Prints the changes as JSON. */
export async function printSessionChanges(file: string): Promise<void> {
  setPriority(LOW)
  process.stdout.write(JSON.stringify(await compareWithSnapshot(file)))
}
