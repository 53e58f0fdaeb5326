import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { blockInheritance, getEffectivePolicy, setOwnSettings } from '@muster/contract/api/policies'
import type { EffectiveItem, EffectivePolicy } from '@muster/contract/policies/effective-policy'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { ChainList, ItemList } from './WhyDialog.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import classes from './Policies.module.css'
import { UNFIT_LABELS } from './policy-labels.ts'

const REFUSED = 'Your role does not allow you to see policies.'

/** The items of a machine, from policies and its own, each with its origin and the items that it overrides. */
export function MachinePolicies({ agent }: { agent: AgentDetail }) {
  const params = { agent_id: agent.agent_id }
  const options = query(getEffectivePolicy, { params })
  const { data, instead } = useQueryPane(options, {
    needs: 'can_list_automation_policies',
    refused: REFUSED,
    rows: 6,
  })
  const giveBack = useGiveBack(agent.agent_id)
  const mayEdit = useMay('can_edit_agent')
  const mayManage = useMay('can_manage_automation_policies')
  const { open } = useDialog()
  if (data === undefined) return instead
  return (
    <div className={classes.chain}>
      <Section
        title="Applied policies (highest priority first)"
        tools={
          <span className={classes.buttons}>
            {mayManage && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => open('assign-policies', `agent-${agent.agent_id}`)}
              >
                Assign policies
              </Button>
            )}
            <BlockButton policy={data} />
          </span>
        }
      >
        <ChainList policy={data} />
      </Section>
      <Section title="Checks">
        <ItemList
          items={data.items.filter(({ kind }) => kind === 'checks')}
          empty="No checks from policies."
        />
        <UnfitList policy={data} kind="checks" />
      </Section>
      <Section title="Tasks">
        <ItemList items={data.items.filter(({ kind }) => kind === 'tasks')} empty="No tasks from policies." />
        <UnfitList policy={data} kind="tasks" />
      </Section>
      <Section title="Settings">
        <ItemList
          items={data.items.filter(({ kind }) => kind === 'agent_settings')}
          empty="Default settings"
          {...(mayEdit ? { actionOf: giveBack } : {})}
        />
      </Section>
      <Section title="Alert template">
        <ItemList
          items={data.items.filter(({ kind }) => kind === 'alert_template')}
          empty="No alert template. The rules of the channels apply."
        />
        <UnfitList policy={data} kind="alert_template" />
      </Section>
      <Section title="Patches">
        <ItemList
          items={data.items.filter(({ kind }) => kind === 'patches')}
          empty="No patch policy. Patches are approved and installed manually."
        />
      </Section>
      <Section title="Software">
        <ItemList
          items={data.items.filter(({ kind }) => kind === 'software')}
          empty="No software by policy."
        />
        <UnfitList policy={data} kind="software" />
      </Section>
    </div>
  )
}

/** Items of policies that the machine does not get. */
function UnfitList({ policy, kind }: { policy: EffectivePolicy; kind: EffectiveItem['kind'] }) {
  return policy.unfit
    .filter((one) => one.kind === kind)
    .map(({ what, source, why }) => (
      <p key={`${what} ${JSON.stringify(source)}`} className="dim small">
        <bdi>{what}</bdi> of {source.own ? 'the machine' : <bdi>{source.policy_name}</bdi>}{' '}
        {UNFIT_LABELS[why]}.
      </p>
    ))
}

/** Own settings that override a policy can be cleared. */
function useGiveBack(agentId: string) {
  const queryClient = useQueryClient()
  const params = { agent_id: agentId }
  const { mutate, isPending } = useMutation({
    mutationFn: (key: string) => call(setOwnSettings, { params, body: { [key]: null } }),
    onSuccess: (policy) => queryClient.setQueryData(queryKey(getEffectivePolicy, { params }), policy),
  })
  return ({ key, source, overrode }: EffectiveItem) =>
    source.own && overrode.length > 0 ? (
      <Button variant="default" size="compact-sm" loading={isPending} onClick={() => mutate(key)}>
        Use policy value
      </Button>
    ) : null
}

function BlockButton({ policy: { agent_id, hostname, blocks } }: { policy: EffectivePolicy }) {
  const mayManage = useMay('can_manage_automation_policies')
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call(blockInheritance, {
        body: { target: { level: 'agent', id: agent_id }, block_policy_inheritance: !blocks.agent },
      }),
    onSuccess: async () => {
      notifyDone(
        blocks.agent
          ? `${hostname} inherits policies again.`
          : `${hostname} uses only directly assigned policies.`,
      )
      await queryClient.invalidateQueries({ queryKey: queryKey(getEffectivePolicy) })
    },
  })
  if (!mayManage) return null
  return (
    <Button variant="default" size="compact-sm" loading={isPending} onClick={() => mutate()}>
      {blocks.agent ? 'Allow inheritance' : 'Block inheritance'}
    </Button>
  )
}
