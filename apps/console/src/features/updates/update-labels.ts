import type { AgentUpdate } from '@muster/contract/api/agents'

/** The state of an update, and why it did not succeed. */
export function describeUpdate({ state, version, reason }: AgentUpdate): string {
  switch (state) {
    case 'waiting':
      return `Update to ${version} is waiting for the machine`
    case 'offered':
      return `Update to ${version} was ordered`
    case 'downloading':
      return `Downloading ${version}`
    case 'installed':
      return `Version ${version} is on trial`
    case 'confirmed':
      return `Updated to ${version}`
    case 'failed':
      return `Update to ${version} failed. ${reason ?? ''}`.trim()
    case 'rolled_back':
      return `Rolled back from ${version}. ${reason ?? ''}`.trim()
  }
}
