import { Button } from '@mantine/core'
import type { AlertTemplate } from '@muster/contract/api/alert-templates'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import classes from './Templates.module.css'
import { relatedQuery } from './templates-query.ts'

/** Where a template is assigned. */
export function AppliedDialog({ template, onClose }: { template: AlertTemplate; onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...relatedQuery(template.id), staleTime: 0 })
  const groups =
    data === undefined
      ? []
      : [
          { label: 'Policies', names: data.policies.map(({ id, name }) => [id, name] as const) },
          { label: 'Clients', names: data.clients.map(({ id, name }) => [id, name] as const) },
          {
            label: 'Sites',
            names: data.sites.map(({ id, name, client_name }) => [id, `${client_name} › ${name}`] as const),
          },
          {
            label: 'Machines',
            names: data.agents.map(
              ({ agent_id, hostname, site_name }) => [agent_id, `${hostname}, ${site_name}`] as const,
            ),
          },
        ].filter(({ names }) => names.length > 0)
  return (
    <Dialog
      title={`Where ${template.name} is applied`}
      onClose={onClose}
      zIndex={250}
      footer={
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
      ) : groups.length === 0 && !data.default_template ? (
        <EmptyState message="It is assigned nowhere. Name it in a policy, assign it in the menu of a client, a site or a machine, or make it the default." />
      ) : (
        <>
          {data.default_template && (
            <p className={classes.answer}>It is the default: it counts wherever no other one does.</p>
          )}
          {groups.map(({ label, names }) => (
            <section key={label} aria-label={label}>
              <h3 className={classes.heading}>{label}</h3>
              <ul className={classes.plain}>
                {names.map(([id, name]) => (
                  <li key={id}>
                    <bdi>{name}</bdi>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </Dialog>
  )
}
