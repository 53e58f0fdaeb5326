import { Button } from '@mantine/core'
import {
  installPatches,
  listPatchFailures,
  type PatchFailure,
  scanPatches,
} from '@muster/contract/api/patches'
import { useMutation } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { notify } from '../../app/shell/notify.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { MachineLink } from '../agents/MachineLink.tsx'
import classes from './FleetPatches.module.css'

/** Machines whose last scan or installation failed, with the reason and a retry. */
export function PatchFailures({ client }: { client: number | undefined }) {
  const { data, instead } = useQueryPane(
    query(listPatchFailures, { query: client === undefined ? {} : { client } }),
    { refused: 'Your role does not allow you to see the patches of machines.', rows: 2 },
  )
  if (data === undefined) return instead
  if (data.length === 0)
    return <EmptyState message="No failures. The last scan and installation of each machine succeeded." />
  return (
    <div className={classes.failures} role="list" aria-label="Failures">
      {data.map((failure) => (
        <Failure key={`${failure.kind} ${failure.agent_id}`} failure={failure} />
      ))}
    </div>
  )
}

const WHAT: Record<PatchFailure['kind'], string> = {
  scan: 'Scan',
  install: 'Installation',
  policy: 'Installation by policy',
}

function Failure({ failure }: { failure: PatchFailure }) {
  const { agent_id, hostname, connected, client, site, kind, reason, at } = failure
  const params = { agent_id }
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      if (kind === 'scan') {
        await call(scanPatches, { params })
        return `${hostname} scans for patches.`
      }
      const { patches } = await call(installPatches, { params, body: {} })
      return patches === 0
        ? `No patch of ${hostname} is approved. Approve what to install, and try again.`
        : `${hostname} installs its approved patches.`
    },
    onSuccess: (text) => notify(text, { tone: 'info', preset: 'feedback' }),
  })
  return (
    <div className={classes.failure} role="listitem">
      <span>
        <MachineLink agent_id={agent_id} hostname={hostname} pane="patches" />{' '}
        <bdi className="dim">
          {client}, {site}
        </bdi>
      </span>
      <span className={classes.reason}>
        {WHAT[kind]} failed <Time instant={at} relative />: <bdi>{reason}</bdi>
      </span>
      <Button
        size="xs"
        variant="default"
        loading={isPending}
        disabled={!connected}
        {...(connected ? {} : { title: `${hostname} is offline.` })}
        onClick={() => mutate()}
      >
        Retry
      </Button>
    </div>
  )
}
