import { getAgent } from '@muster/contract/api/agents'
import { listPatches } from '@muster/contract/api/patches'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import type { Pane } from '../../app/search.ts'
import { START_VIEW, toAlertsRequest } from '../alerts/alert-view.ts'
import { alertsQuery } from '../alerts/alerts-query.ts'
import { findMissing } from '../patches/find-missing.ts'
import classes from './AgentPanes.module.css'

const SHOWN_ALERTS = 5

/** The worst open alerts of a machine, and their number. */
export const openAlertsQuery = (agentId: string) =>
  alertsQuery(toAlertsRequest(START_VIEW, agentId, SHOWN_ALERTS))

type Tone = 'negative' | 'warning' | 'info'

/** The number of problems behind a tab, in the colour of the worst; nothing while there are none. */
export function TabCount({ pane, agentId }: { pane: Pane; agentId: string }) {
  switch (pane) {
    case 'checks':
      return <FailingChecks agentId={agentId} />
    case 'patches':
      return <MissingPatches agentId={agentId} />
    case 'alerts':
      return <OpenAlerts agentId={agentId} />
    default:
      return null
  }
}

const agentQuery = (agentId: string) => query(getAgent, { params: { agent_id: agentId } })

function FailingChecks({ agentId }: { agentId: string }) {
  const { data: agent } = useQuery(agentQuery(agentId))
  if (agent === undefined) return null
  const { failing, warning, info } = agent.checks
  const tone = failing > 0 ? 'negative' : warning > 0 ? 'warning' : 'info'
  return <Count many={failing + warning + info} word="failing" tone={tone} />
}

function MissingPatches({ agentId }: { agentId: string }) {
  const mayList = useMay('can_manage_winupdates')
  const { data: agent } = useQuery(agentQuery(agentId))
  const { data: patches = [] } = useQuery({
    ...query(listPatches, { params: { agent_id: agentId } }),
    enabled: mayList && agent?.has_patches_pending === true,
    meta: { quiet: true },
  })
  const missing = findMissing(patches)
  const isCritical = missing.some(({ severity }) => severity === 'Critical')
  return <Count many={missing.length} word="missing" tone={isCritical ? 'negative' : 'warning'} />
}

const TONES = { error: 'negative', warning: 'warning', info: 'info' } as const

function OpenAlerts({ agentId }: { agentId: string }) {
  const mayList = useMay('can_list_alerts')
  const { data: open } = useQuery({
    ...openAlertsQuery(agentId),
    enabled: mayList,
    meta: { quiet: true },
  })
  return <Count many={open?.alerts_count ?? 0} word="open" tone={TONES[open?.worst ?? 'info']} />
}

function Count({ many, word, tone }: { many: number; word: string; tone: Tone }) {
  if (many === 0) return null
  return (
    <span className={classes.count} data-tone={tone}>
      {many} <span className="read-only-aloud">{word}</span>
    </span>
  )
}
