import type { AgentDetail, AgentRow } from '@muster/contract/api/agents'
import type { WebhookEvent } from '@muster/contract/api/webhooks'
import type { Event } from '@muster/contract/events'
import type { PolicyItem } from '@muster/contract/fields'
import type { PolicyCheck, PolicyTask } from '@muster/contract/policies/policy-content'
import type { OwnWinUpdateChange } from '@muster/contract/policies/win-update-policy'
import type { AgentSetting } from '@muster/rules/policies/policy-merge'
import type { Context } from './context.ts'
import type { AgentTemplates } from './features/agents/queries.ts'
import type { TermSource } from './features/agents/search/find-matching-agents.ts'
import type { ValueSource } from './features/agents/values/read-values.ts'
import type { NamingPolicy } from './features/alerts/templates/view.ts'
import type { NodePolicies } from './features/clients/view.ts'
import type { AssignmentFields } from './features/clients/write-client.ts'
import type { ScriptUse } from './features/scripts/script-uses.ts'
import type { Db } from './platform/database/database.ts'
import type { Caller } from './platform/http/caller.ts'

/** A transaction, and what leaves after its commit. */
export interface InTransaction {
  ctx: Context
  tx: Db
  emit: (event: Event) => void
}

/** Something that happened, for webhooks. */
export interface WebhookFact {
  event: WebhookEvent
  /** Names this occurrence, such as `run.finished:17`: a webhook gets it once. */
  source: string
  agent_id?: string | null
  /** For what belongs to a site and not to a machine. */
  site_id?: number | null
  /** For what belongs to several machines: their clients. */
  client_ids?: readonly number[]
  /** Becomes part of the body. */
  data: Readonly<Record<string, unknown>>
}

/** The machines on which variables (`{{agent.hostname}}`, `{{global.KEY}}`) may have other values now. */
export type VariableOwner = { agentIds: string[] } | { siteId: number } | { clientId: number } | 'all'

/**
 * What a feature needs from those below it in modules.ts, which it may not import. modules.ts names the function behind
 * each hook. A hook that takes a transaction writes and emits inside it.
 */
export interface Hooks {
  /** Call after every change of a variable: checks and tasks whose scripts use one are sent to their machines again. */
  variablesChanged(tx: Db, emit: InTransaction['emit'], owner: VariableOwner): Promise<void>
  /** Call after the text or the shell of a script has changed. */
  scriptChanged(tx: Db, emit: InTransaction['emit'], scriptId: number): Promise<void>
  /** Call after a snippet was added, changed or removed. */
  snippetsChanged(tx: Db, emit: InTransaction['emit']): Promise<void>
  /** Deletes a script by `remove`, and takes it out of checks, tasks and alert templates. */
  removeScript(
    transaction: InTransaction,
    script: { id: number; at: Date; remove: () => Promise<void> },
  ): Promise<void>
  /** Alert templates, policies, tasks and checks that run one of these scripts. */
  findScriptUses(db: Db, scriptIds: ReadonlySet<number>): Promise<ScriptUse[]>
  /** The scripts that alert templates run on the server, with the names of the templates. */
  findServerScripts(db: Db): Promise<Map<number, string[]>>

  /** Changes the policies of a client, site or machine. Call it before other rows are locked: policies come first. */
  changeAssignmentFields(
    parts: InTransaction & { caller: Caller },
    at: { level: 'client' | 'site' | 'agent'; id: string },
    fields: AssignmentFields,
  ): Promise<void>
  findNodePolicies(db: Db): Promise<NodePolicies>
  /** Gives a client, site or machine an alert template, or takes it away. False when nothing changed. */
  assignTemplate(
    transaction: InTransaction,
    caller: Caller,
    target:
      | { type: 'client' | 'site'; id: number; name: string }
      | { type: 'agent'; id: string; name: string },
    change: { from: number | null; to: number | null | undefined },
  ): Promise<boolean>
  /** Visible policies that assign an alert template. */
  findNamingPolicies(db: Db, caller: Caller): Promise<NamingPolicy[]>
  addPolicyItem(
    ctx: Context,
    caller: Caller,
    given: {
      policyId: number
      added: { kind: 'checks'; item: PolicyCheck } | { kind: 'tasks'; item: PolicyTask }
    },
  ): Promise<PolicyItem>

  /** By field of the search: the machines that match a term whose facts rows of machines do not have. */
  searchTerms: Readonly<Record<string, TermSource>>
  /** Values of machines that their rows do not have, as columns of the machines table. */
  agentValues: readonly ValueSource[]
  /** Counts the checks of these machines by their state. */
  countChecks(db: Db, agentIds: string[], now: Date): Promise<(agentId: string) => AgentRow['checks']>
  /** The alert templates that count for machines. */
  openAgentTemplates(db: Db): Promise<AgentTemplates>
  /** The policies that reach a machine, the nearest first. */
  findAppliedPolicies(db: Db, agentId: string): Promise<AgentDetail['applied_policies']>
  /** The own and the effective patch policy of a machine. */
  findPatchPolicies(
    db: Db,
    agent: { id: number; agent_id: string },
  ): Promise<Pick<AgentDetail, 'winupdatepolicy' | 'effective_patch_policy'>>
  /** Changes the own patch policy of a machine. Call applyPolicies after the commit. */
  changeOwnWinUpdate(
    parts: InTransaction & { caller: Caller },
    agent: { id: number; agent_id: string; hostname: string },
    given: OwnWinUpdateChange[],
  ): Promise<void>
  /** Refuses settings of a machine that an enforced policy sets. */
  refuseEnforcedSettings(
    db: Db,
    agent: { agent_id: string; hostname: string; setting_sources: string },
    names: readonly AgentSetting[],
  ): Promise<void>
  /** Brings machines in line with their policies. */
  applyPolicies(ctx: Context, agentIds: readonly string[]): Promise<unknown>
  /** Call after the check interval of a machine has changed. */
  checkIntervalChanged(tx: Db, emit: InTransaction['emit'], agentId: string): Promise<void>
  /** Call when a user is blocked or deleted: ends the install links and tokens that they have created. */
  endInstallLinks(
    transaction: InTransaction,
    caller: Caller,
    author: { username: string; was: 'blocked' | 'deleted' },
  ): Promise<void>
  /** Call before a machine is deleted. */
  removeAgent(transaction: InTransaction, agentId: string): Promise<void>

  /** Call in the transaction that makes facts true: stores them for the webhooks that want them. */
  publish(ctx: Pick<Context, 'jobs' | 'now'>, tx: Db, facts: readonly WebhookFact[]): Promise<void>

  /** Call when checks begin to fail: starts the tasks assigned to them. */
  checksFailed(ctx: Pick<Context, 'jobs'>, tx: Db, checkIds: readonly number[]): Promise<void>
}
