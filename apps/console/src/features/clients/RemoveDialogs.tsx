import { type Client, type Site, deleteClient, deleteSite } from '@muster/contract/api/clients'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'
import { RemoveNodeDialog } from './RemoveNodeDialog.tsx'
import { groupSites } from './site-choices.ts'

/** Deletes the client that `item` names, with its sites; its machines move to a site of another client. */
export function RemoveClientDialog({ item, close }: AddressedDialogProps) {
  const title = 'Delete client'
  return (
    <ClientsDialog title={title} needs="can_manage_clients" onClose={close}>
      {(clients) => {
        const client = clients.find(({ id }) => `${id}` === item)
        if (client === undefined) return <GoneDialog title={title} what="client" onClose={close} />
        const leaving = new Set(client.sites.map(({ id }) => id))
        return (
          <RemoveNodeDialog
            title={title}
            node={client}
            what={whatGoes(client)}
            targets={groupSites(clients, leaving)}
            remove={(target) =>
              call(deleteClient, { params: { id: client.id }, query: { move_to_site: target } })
            }
            onClose={close}
          />
        )
      }}
    </ClientsDialog>
  )
}

/** Deletes the site that `item` names; its machines move to another one. */
export function RemoveSiteDialog({ item, close }: AddressedDialogProps) {
  const title = 'Delete site'
  return (
    <ClientsDialog title={title} needs="can_manage_sites" onClose={close}>
      {(clients) => {
        const client = clients.find(({ sites }) => sites.some(({ id }) => `${id}` === item))
        const site = client?.sites.find(({ id }) => `${id}` === item)
        if (client === undefined || site === undefined) {
          return <GoneDialog title={title} what="site" onClose={close} />
        }
        return (
          <RemoveNodeDialog
            title={title}
            node={site}
            what={`The site ${site.name} of ${client.name} is deleted.`}
            warning={lastSiteWarning(client, site)}
            targets={groupSites(clients, new Set([site.id]))}
            remove={(target) =>
              call(deleteSite, { params: { id: site.id }, query: { move_to_site: target } })
            }
            onClose={close}
          />
        )
      }}
    </ClientsDialog>
  )
}

function whatGoes({ name, sites }: Client): string {
  const [only] = sites
  if (sites.length === 1 && only) return `The client ${name} is deleted with its site ${only.name}.`
  return `The client ${name} is deleted with its ${sites.length} sites.`
}

// Only a warning: there may be other sites that this user does not see. The server decides.
function lastSiteWarning(client: Client, site: Site): string | undefined {
  if (client.sites.length > 1) return undefined
  return `${site.name} is the only site of ${client.name}, and a client keeps at least one. Add another site first, or delete the client.`
}
