import '@mantine/core/styles/Alert.css'
import type { Client } from '@muster/contract/api/clients'
import { Alert, Anchor, Button, Loader, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { type AddressedDialogProps, useDialog } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useLive } from '../../app/live/live.ts'
import { CopyBox } from '../../ui/inputs/CopyBox.tsx'
import { StatusDot } from '../../ui/layout/StatusDot.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { PackageState } from './PackageState.tsx'
import { InstallChoices, type MadeLine } from './InstallChoices.tsx'
import { checkInstallForm, findInitialSite, type InstallForm, isLoopback } from './install-form.ts'
import classes from './InstallAgent.module.css'
import { useArrivals } from './use-arrivals.ts'
import { type Arrival } from './find-arrivals.ts'

const TITLE = 'Install agent'

/** Creates the install command, and waits for the machine. `item` names a site or a tree node. */
export function InstallAgentDialog({ item, close }: AddressedDialogProps) {
  const { data: clients, error, refetch } = useQuery(clientsQuery)
  return (
    <GuardedDialog title={TITLE} needs="can_install_agents" onClose={close}>
      {clients === undefined ? (
        <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
      ) : clients.length === 0 ? (
        <NoClients close={close} />
      ) : (
        <InstallSteps clients={clients} item={item} close={close} />
      )}
    </GuardedDialog>
  )
}

function InstallSteps({
  clients,
  item,
  close,
}: {
  clients: readonly Client[]
  item: string | undefined
  close: () => void
}) {
  const { node, tab } = useSearch({ strict: false })
  const [made, setMade] = useState<MadeLine>()
  const form = useForm<InstallForm>({
    initialValues: {
      plat: 'windows',
      method: 'line',
      goarch: 'amd64',
      power: false,
      rdp: false,
      ping: false,
      ...findInitialSite(clients, item ?? node),
      agenttype: tab === 'workstation' ? 'workstation' : 'server',
      expires: 24,
      uses: 100,
      own_folder: false,
      data_folder: '',
    },
    validate: checkInstallForm,
    validateInputOnBlur: true,
  })
  if (made === undefined) {
    return <InstallChoices title={TITLE} clients={clients} form={form} onMade={setMade} onClose={close} />
  }
  return <InstallLine title={TITLE} made={made} onBack={() => setMade(undefined)} onClose={close} />
}

function NoClients({ close }: { close: () => void }) {
  const mayAdd = useMay('can_manage_clients')
  const { open } = useDialog()
  return (
    <Dialog title={TITLE} onClose={close}>
      <EmptyState
        message={
          mayAdd
            ? 'No client yet. Add one before you install an agent.'
            : 'No client that you may see. Ask an administrator for access.'
        }
      >
        {mayAdd && (
          <Button data-autofocus onClick={() => open('add-client')}>
            Add client
          </Button>
        )}
      </EmptyState>
    </Dialog>
  )
}

interface InstallLineProps {
  title: string
  made: MadeLine
  onBack: () => void
  onClose: () => void
}

/** The command to paste, its expiry, and the machine once it connects. */
function InstallLine({ title, made, onBack, onClose }: InstallLineProps) {
  const { cmd, url, hours, uses, expires, siteName, clientName, method } = made
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onBack}>
            New command
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <p className={classes.text}>
          {describeCommand(made)} The machine will appear in {clientName} › {siteName}.
        </p>
        {made.package !== null && <PackageState initial={made.package} download={method !== 'line'} />}
        <CopyBox text={cmd} label="Install command" copyLabel="Copy" autoFocus />
        <p className={classes.note}>
          Valid for {hours} h and {uses} {uses === 1 ? 'machine' : 'machines'}, until{' '}
          <Time instant={expires} />. Anyone with this command can add machines. Keep it secret.
        </p>
        {method !== 'line' && cmd.includes(AUTHORITY_FILE) && (
          <p className={classes.note}>
            Machines do not know this server's certificate. Put{' '}
            <Anchor href={`/agent/${AUTHORITY_FILE}`} download={AUTHORITY_FILE} size="xs">
              {AUTHORITY_FILE}
            </Anchor>{' '}
            beside the package.
          </p>
        )}
        {isLoopback(url) && (
          <Alert color="warning" role="note">
            <span className="mono">{url}</span> works on the server's own machine only. "New command" says how
            to reach the server from other machines.
          </Alert>
        )}
        <Wait made={made} />
      </Stack>
    </Dialog>
  )
}

const AUTHORITY_FILE = 'server-ca.pem'

function describeCommand({ plat, method, foreground }: MadeLine): string {
  if (foreground) return 'Run this command on the machine as the user of the agent. Ctrl+C stops it.'
  if (method === 'msi') return 'Hand out the package, and run this command beside it as administrator.'
  if (method !== 'line') return 'Copy the package to the machine, and run this command beside it.'
  return plat === 'windows'
    ? 'Paste this command into PowerShell, started as administrator. It can be repeated.'
    : `Run this command on the machine as root${plat === 'darwin' ? ' (sudo -s)' : ''}. It installs a service and can be repeated.`
}

function Wait({ made: { siteId, siteName, before } }: { made: MadeLine }) {
  const arrivals = useArrivals(siteId, before)
  const lost = useLive(({ status }) => status) === 'lost'
  if (before === undefined) {
    return (
      <p className={classes.note}>
        Your role does not allow you to see machines. The new machine will not appear here.
      </p>
    )
  }
  return (
    <div className={classes.wait} role="status">
      {arrivals.length > 0 && (
        <ul className={classes.arrivals}>
          {arrivals.slice(0, SHOWN).map((arrival) => (
            <ArrivalLine key={arrival.agent_id} arrival={arrival} />
          ))}
        </ul>
      )}
      {arrivals.length > SHOWN && <p className={classes.note}>And {arrivals.length - SHOWN} more.</p>}
      {arrivals.length === 0 && (
        <p className={classes.waiting}>
          <Loader aria-hidden />
          {lost ? 'The server is unreachable. Waiting for it to come back …' : 'Waiting for the machine …'}
        </p>
      )}
      {arrivals.length > 0 && arrivals.every(({ known }) => known) && (
        <p className={classes.note}>No new machine in {siteName} yet.</p>
      )}
    </div>
  )
}

const SHOWN = 10

function ArrivalLine({ arrival: { agent_id, hostname, known } }: { arrival: Arrival }) {
  return (
    <li className={classes.arrival}>
      <StatusDot state="online" label={known ? `${hostname} is back` : `${hostname} is here`} />
      <Anchor
        size="sm"
        renderRoot={(props) => <Link {...props} to="/agents/$agent_id" params={{ agent_id }} />}
      >
        Open {hostname}
      </Anchor>
    </li>
  )
}
