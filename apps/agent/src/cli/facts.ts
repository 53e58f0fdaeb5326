import { os } from '../os/index.ts'

/** `facts`: what the agent starts to collect the slow facts; prints them as JSON. */
export async function printSlowFacts(): Promise<void> {
  process.stdout.write(JSON.stringify(await os.readSlowFacts()))
}
