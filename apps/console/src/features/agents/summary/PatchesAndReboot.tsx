import type { AgentDetail } from '@muster/contract/api/agents'
import { getPatchStatus, listPatches } from '@muster/contract/api/patches'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { findMissing } from '../../patches/find-missing.ts'
import { usePane } from '../use-pane.ts'
import { Fact } from './MachineFacts.tsx'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import classes from './Summary.module.css'

/** Patches that the machine can install, and whether it needs a restart. */
export function PatchesAndReboot({ agent }: { agent: AgentDetail }) {
  const { setPane } = usePane()
  return (
    <Section
      title="Patches and reboot"
      tools={
        <button type="button" className={section.link} onClick={() => setPane('patches')}>
          Patches
        </button>
      }
    >
      <dl className={classes.facts}>
        <Fact name="Patches">
          <Missing agent={agent} />
        </Fact>
        <Fact name="Reboot">
          {agent.needs_reboot ? <span className={classes.negative}>needed</span> : 'not needed'}
        </Fact>
      </dl>
    </Section>
  )
}

function Missing({ agent: { agent_id, has_patches_pending } }: { agent: AgentDetail }) {
  const mayList = useMay('can_manage_winupdates')
  const more = { enabled: mayList, meta: { quiet: true } }
  const { data: patches } = useQuery({ ...query(listPatches, { params: { agent_id } }), ...more })
  const { data: status } = useQuery({ ...query(getPatchStatus, { params: { agent_id } }), ...more })
  if (patches === undefined || status === undefined)
    return has_patches_pending ? <span className={classes.warning}>pending</span> : 'none known'
  if (status.looked_at === null) return 'not scanned yet'
  const missing = findMissing(patches)
  if (missing.length === 0) return 'none missing'
  const critical = missing.filter(({ severity }) => severity === 'Critical').length
  return (
    <>
      <span className={classes.warning}>{missing.length} missing</span>
      {critical > 0 && <span className={classes.negative}>, {critical} critical</span>}
    </>
  )
}
