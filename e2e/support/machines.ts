import type { AgentFacts } from '@muster/contract/agent/facts'
import { type Fleet, startFleet } from '@muster/fake-agent/fleet'
import type { Session } from './sign-in.ts'

/** A simulated machine of a story: its name and whatever else the story looks at. */
export type GivenMachine = Partial<AgentFacts> & { hostname: string; token: string }

/** Linux machines with these names, connected; the tokens say where each belongs. */
export async function startMachines(session: Session, machines: readonly GivenMachine[]): Promise<Fleet> {
  const given = (index: number) => {
    const machine = machines[index]
    if (machine === undefined) throw new Error(`there is no machine ${index}`)
    return machine
  }
  const fleet = await startFleet({
    server: session.url,
    token: (index) => given(index).token,
    count: machines.length,
    facts: (index) => {
      const { token: _, ...facts } = given(index)
      return { platform: 'linux', problems: [], needs_reboot: false, ...facts }
    },
  })
  await fleet.waitForConnected()
  return fleet
}
