import { os } from '../os/index.ts'

/** Runs in the agent's child process. Prints the slow facts as JSON. */
export async function printSlowFacts(): Promise<void> {
  process.stdout.write(JSON.stringify(await os.readSlowFacts()))
}
