import { getEffectivePolicy } from '@muster/contract/api/policies'
import type { EffectiveItem, EffectivePolicy } from '@muster/contract/policies/effective-policy'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './Policies.module.css'
import { describeLink, describeOutcome, describeSource, LOST_LABELS } from './policy-labels.ts'

const TITLE = 'Why does this machine have this?'

type Noun = 'check' | 'task'

/** The origin of a machine's check or alert template: `AGENTID.12`, `AGENTID.alert_template`. */
export function WhyCheckDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="check" />
}

/** The same for a task. */
export function WhyTaskDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="task" />
}

function WhyDialog({ item = '', close, noun }: AddressedDialogProps & { noun: Noun }) {
  const [agentId = '', asked = ''] = item.split('.')
  return (
    <GuardedDialog title={TITLE} needs="can_list_automation_policies" onClose={close}>
      <Why agentId={agentId} noun={noun} asked={asked} close={close} />
    </GuardedDialog>
  )
}

interface WhyProps {
  agentId: string
  noun: Noun
  asked: string
  close: () => void
}

function Why({ agentId, noun, asked, close }: WhyProps) {
  const options = query(getEffectivePolicy, { params: { agent_id: agentId } })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return (
    <Dialog title={TITLE} onClose={close} size="md">
      {asked === 'alert_template' ? (
        <TemplateAnswer policy={data} />
      ) : (
        <Answer policy={data} noun={noun} id={Number(asked)} />
      )}
      <h3 className={classes.chainTitle}>Policies of {data.hostname}, highest priority first</h3>
      <ChainList policy={data} />
    </Dialog>
  )
}

function TemplateAnswer({ policy }: { policy: EffectivePolicy }) {
  const found = policy.items.find(({ kind }) => kind === 'alert_template')
  if (found === undefined) {
    return <p className={classes.lead}>No alert template applies to {policy.hostname}.</p>
  }
  return (
    <div className={classes.lead}>
      <ItemText item={found} />
    </div>
  )
}

/** An overridden item is described by the one that overrides it. */
function Answer({ policy, noun, id }: { policy: EffectivePolicy; noun: Noun; id: number }) {
  const isMeant = (one: { check_id: number | null; task_id: number | null }) =>
    (noun === 'check' ? one.check_id : one.task_id) === id
  const found = policy.items.find((item) => isMeant(item) || item.overrode.some(isMeant))
  return found === undefined ? (
    <p className={classes.lead}>
      {policy.hostname} has this {noun} of its own. No policy overrides it.
    </p>
  ) : (
    <div className={classes.lead}>
      <ItemText item={found} />
    </div>
  )
}

interface ItemListProps {
  items: readonly EffectiveItem[]
  empty: string
  actionOf?: (item: EffectiveItem) => ReactNode
}

/** Items of a machine, each with its origin and the items that it overrides. */
export function ItemList({ items, empty, actionOf }: ItemListProps) {
  if (items.length === 0) return <p className="dim small">{empty}</p>
  return (
    <ul className="plain-list">
      {items.map((item) => (
        <li key={`${item.kind} ${item.key}`} className={classes.line}>
          <ItemText item={item} />
          {actionOf?.(item)}
        </li>
      ))}
    </ul>
  )
}

function ItemText({ item: { what, source, overrode } }: { item: EffectiveItem }) {
  return (
    <div className={classes.lineText}>
      <p>
        <bdi>{what}</bdi>
      </p>
      <p className="dim small">
        From <bdi>{describeSource(source)}</bdi>.
      </p>
      {overrode.map((loser, index) => (
        <p key={index} className="dim small">
          Instead of <bdi>{loser.what}</bdi> from <bdi>{describeSource(loser.source)}</bdi>.{' '}
          {LOST_LABELS[loser.lost]}
        </p>
      ))}
    </div>
  )
}

/** The policies assigned to a machine at any level, including those that do not apply, with the reason. */
export function ChainList({ policy: { chain, hostname } }: { policy: EffectivePolicy }) {
  if (chain.length === 0) {
    return <p className="dim small">No policy is assigned to {hostname} or anything above it.</p>
  }
  return (
    <ol className="plain-list" aria-label="Policies of the machine">
      {chain.map((link, index) => {
        const why = describeOutcome(link)
        const Icon = why === undefined ? IconCircleCheck : IconCircleX
        return (
          <li key={index} className={`${classes.line} ${why === undefined ? '' : 'dim'}`}>
            <Icon
              size={16}
              stroke={1.75}
              role="img"
              aria-label={why === undefined ? 'applies' : 'does not apply'}
            />
            <div className={classes.lineText}>
              <p>
                <Link
                  className={classes.link ?? ''}
                  to="/policies/$policy_id"
                  params={{ policy_id: `${link.policy}` }}
                >
                  <bdi>{link.policy_name}</bdi>
                </Link>
                {link.enforced && <span className={classes.chip}>enforced</span>}
              </p>
              <p className="dim small">
                Assigned to {describeLink(link)}. {why}
              </p>
            </div>
          </li>
        )
      })}
    </ol>
  )
}
