import type { TemplateSource, TemplateStep } from '@muster/rules/alerts/alert-template'
import type { PolicyLevel } from '@muster/rules/policies/policy-chain'
import type { EffectiveItem, ItemSource, Lost } from '@muster/rules/policies/policy-merge'
import { enqueueApply } from '../../alerts/templates/apply-templates.ts'
import {
  openTemplateResolver,
  type PolicyTemplate,
  writeAssigned,
} from '../../alerts/templates/template-resolver.ts'
import type { Template } from '../../alerts/templates/stored-template.ts'
import type { PolicySet } from '../policy-set.ts'
import { chunk } from '../queries.ts'
import type { ChainedMachine, ContentKind, Resolved, Thing } from './kind.ts'

/** The id of the template. */
type TemplateRef = number
type Step = TemplateStep<Template>

/**
 * The alert template of a machine. Policies are only one way to assign a template, so rules/alerts/alert-template.ts
 * decides, where all of them are known. The machine stores the templates of its policies: alerts read them without
 * knowing policies.
 */
export const alertTemplateKind: ContentKind<TemplateRef> = {
  name: 'alert_template',
  resolve: async (db, set, machines) => {
    const book = await openTemplateResolver(db)
    return machines.map((chained) => {
      const { machine } = chained
      const stored = writeAssigned(givenBy(set, chained.chain))
      const { site_id: place_id, ...placed } = machine
      const { steps } = book.resolve({ ...placed, place_id, policy_templates: stored })
      return { ...chained, ...judge(chained, steps), stored }
    })
  },
  findDrift: async (_db, resolved) => resolved.filter((one) => one.stored !== one.machine.policy_templates),
  apply: async ({ tx, emit }, resolved) => {
    for (const [stored, group] of Map.groupBy(resolved, (one) => one.stored)) {
      for (const slice of chunk(group.map(({ machine }) => machine.agent_id))) {
        await tx
          .updateTable('agents')
          .set({ policy_templates: stored ?? '[]' })
          .where('agent_id', 'in', slice)
          .execute()
        emit({ type: 'agent.changed', ids: slice, agent_ids: slice })
      }
    }
  },
  afterwards: (ctx) => enqueueApply(ctx, ctx.db),
}

const SOURCES: Record<PolicyLevel, TemplateSource> = {
  agent: 'agent_policy',
  search: 'search_policy',
  site: 'site_policy',
  client: 'client_policy',
  default: 'default_policy',
}

/** The templates that the policies of a chain assign. */
export function givenBy(set: PolicySet, chain: ChainedMachine['chain']): PolicyTemplate[] {
  return chain.flatMap(({ policy, assignment, outcome }) => {
    const document = set.policies.get(policy)?.document
    const template = document?.content.alert_template ?? null
    if (outcome !== 'applies' || template === null) return []
    const source = document?.enforced === true ? 'enforced_policy' : SOURCES[assignment.level]
    return [{ source, policy, template }]
  })
}

function judge(
  { chain }: ChainedMachine,
  steps: readonly Step[],
): Pick<Resolved<TemplateRef>, 'effective' | 'unfit'> {
  const winner = steps.find(({ outcome }) => outcome === 'applies')
  const sourceOf = ({ source, policy }: Step): ItemSource => {
    if (policy === null) return source === 'agent' ? { own: true } : { own: true, place: levelOf(source) }
    const level = chain.find((link) => link.policy === policy && link.outcome === 'applies')?.assignment.level
    return { own: false, policy, level: level ?? 'default' }
  }
  if (winner === undefined) {
    const unfit = steps.flatMap(({ policy, template, outcome }) =>
      policy === null
        ? []
        : [{ what: template.name, policy, why: outcome === 'inactive' ? outcome : ('excluded' as const) }],
    )
    return { effective: [], unfit }
  }
  const item: EffectiveItem<Thing<TemplateRef>> = {
    key: 'alert_template',
    value: thingOf(winner.template),
    source: sourceOf(winner),
    overrode: steps
      .filter((step) => step !== winner)
      .map((step) => ({
        value: thingOf(step.template),
        source: sourceOf(step),
        lost: reasonOf(winner, step),
      })),
  }
  return { effective: [item], unfit: [] }
}

function levelOf(source: TemplateSource): 'site' | 'client' | 'default' {
  return source === 'site' || source === 'client' ? source : 'default'
}

function reasonOf(winner: Step, loser: Step): Lost {
  if (loser.outcome === 'inactive' || loser.outcome === 'excluded') return loser.outcome
  if (winner.source === loser.source) return 'earlier'
  if (winner.source === 'enforced_policy') return 'enforced'
  return winner.source === 'agent' ? 'own' : 'nearer'
}

function thingOf({ id, name }: Template): Thing<TemplateRef> {
  return { what: name, digest: `${id}`, row_id: null, ref: id }
}
