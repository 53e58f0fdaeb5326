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

export const UPDATE_FIELDS = {
  mode: { label: 'New versions', description: '“Update agent” works in every mode.' },
  version: { label: 'Version', description: 'Other versions are not installed automatically.' },
  waves: {
    label: 'Waves',
    description: 'Percentages of the machines. A wave starts when the one before is confirmed.',
  },
  max_rollbacks: { label: 'Allowed rollbacks', description: 'More of them halt the update.' },
}
