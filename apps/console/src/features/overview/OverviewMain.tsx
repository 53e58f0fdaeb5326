import { Button, Select } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { FirstSteps } from '../first-steps/FirstSteps.tsx'
import classes from './Overview.module.css'
import { OverviewCauses } from './OverviewCauses.tsx'
import { OverviewDisks } from './OverviewDisks.tsx'
import { isCalm, OverviewNext, OverviewPatches, type Part } from './OverviewSide.tsx'

/** Everything below the head: first steps, causes, disks and patches. */
export function OverviewMain({ overview, client }: Part) {
  const { causes, disks, machines, next } = overview
  return (
    <>
      {client === undefined && <FirstSteps />}
      {machines === 0 && <FirstMachine />}
      {isCalm(overview) && <OverviewNext next={next} client={client} />}
      {causes !== null && <OverviewCauses causes={causes} client={client} />}
      <div className={classes.halves}>
        <OverviewDisks disks={disks} />
        <OverviewPatches overview={overview} client={client} />
      </div>
    </>
  )
}

export function ClientSelect({ client }: { client: number | undefined }) {
  const { data: clients } = useQuery(clientsQuery)
  const navigate = useNavigate()
  return (
    <Select
      className={classes.client ?? ''}
      aria-label="Client"
      placeholder="All clients"
      leftSection={<IconBuilding size={16} stroke={1.75} aria-hidden />}
      data={(clients ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
      clearable
      searchable
      value={client === undefined ? null : `${client}`}
      onChange={(value) =>
        void navigate({
          to: '/overview',
          search: value === null ? {} : { client: value },
          resetScroll: false,
        })
      }
    />
  )
}

function FirstMachine() {
  const { open } = useDialog()
  const mayInstall = useMay('can_install_agents')
  return (
    <EmptyState message="No machines yet. Install the agent on the first one.">
      {mayInstall && <Button onClick={() => open('install-agent')}>Install agent</Button>}
    </EmptyState>
  )
}
