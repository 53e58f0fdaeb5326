import type { Policy, PolicyDocument } from '@muster/contract/api/policies'
import { NO_CONTENT } from '@muster/contract/policies/policy-content'

export const NEW_POLICY: PolicyDocument = {
  name: '',
  desc: '',
  active: true,
  enforced: false,
  content: NO_CONTENT,
  targets: [],
  excluded_clients: [],
  excluded_sites: [],
  excluded_agents: [],
}

export interface SectionProps {
  draft: PolicyDocument
  change: (parts: Partial<PolicyDocument>) => void
  disabled: boolean
}

export interface ContentProps extends SectionProps {
  /** Id of a saved policy. */
  id: number | undefined
}

/** The editable part of a policy. */
export function documentOf(policy: PolicyDocument): PolicyDocument {
  const { name, desc, active, enforced, content, targets } = policy
  const { excluded_clients, excluded_sites, excluded_agents } = policy
  return { name, desc, active, enforced, content, targets, excluded_clients, excluded_sites, excluded_agents }
}

export const isSameDocument = (a: PolicyDocument, b: PolicyDocument): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Why a policy cannot be saved; undefined if it can. */
export function findDraftProblem({ name, content }: PolicyDocument): string | undefined {
  if (name.trim() === '') return 'Enter a name.'
  const { offline_time, overdue_time } = content.agent_settings
  if (offline_time !== null && overdue_time !== null && overdue_time <= offline_time) {
    return '"Overdue after" must be longer than "Offline after".'
  }
  return undefined
}

/** Names of the policy's targets, from the policy itself. */
export function namesOf(policy: Policy | undefined): { type: string; id: number | string; name: string }[] {
  if (policy === undefined) return []
  const { clients, sites, agents } = policy.names
  return [
    ...clients.map((one) => ({ type: 'client', ...one })),
    ...sites.map((one) => ({ type: 'site', ...one })),
    ...agents.map((one) => ({ type: 'agent', ...one })),
  ]
}
