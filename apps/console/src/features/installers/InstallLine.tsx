import { Alert, Anchor, Button, Loader, Stack } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import { Link } from '@tanstack/react-router'
import { useLive } from '../../app/live/live.ts'
import { CopyBox } from '../../ui/inputs/CopyBox.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { StatusDot } from '../../ui/layout/StatusDot.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { MadeLine } from './InstallAgentDialog.tsx'
import classes from './InstallAgent.module.css'
import type { Arrival } from './find-arrivals.ts'
import { isLoopback } from './install-form.ts'
import { useArrivals } from './use-arrivals.ts'

interface InstallLineProps {
  title: string
  made: MadeLine
  onBack: () => void
  onClose: () => void
}

/** The line to paste, how long it is good, and the machine as soon as it is here. */
export function InstallLine({ title, made, onBack, onClose }: InstallLineProps) {
  const { cmd, url, hours, uses, expires, foreground, siteName, clientName } = made
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onBack}>
            Another line
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <p className={classes.text}>
          {foreground
            ? 'Paste this into a terminal on the machine, as the user that the agent shall run as. Ctrl+C stops it.'
            : 'Paste this into a terminal on the machine, as root. It installs a service and may be repeated.'}{' '}
          The machine will stand under {clientName}, {siteName}.
        </p>
        <CopyBox text={cmd} label="Line to paste" copyLabel="Copy the line" />
        <p className={classes.note}>
          Good for {hours} h and {uses} {uses === 1 ? 'machine' : 'machines'}, until{' '}
          <Time instant={expires} />. Whoever has the line can add machines with it.
        </p>
        {isLoopback(url) && (
          <Alert color="warning" role="note">
            <span className="mono">{url}</span> reaches this server from its own machine only. For other
            machines, start the server with MUSTER_HOST set, and open the console by the address that they
            reach it by.
          </Alert>
        )}
        <Wait made={made} />
      </Stack>
    </Dialog>
  )
}

function Wait({ made: { siteId, siteName, before } }: { made: MadeLine }) {
  const arrivals = useArrivals(siteId, before)
  const lost = useLive(({ status }) => status) === 'lost'
  if (before === undefined) {
    return (
      <p className={classes.note}>
        Your role does not show you machines, so you will not see it arrive here.
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
          {lost ? 'The server is out of reach. Waiting for it to come back …' : 'Waiting for the machine …'}
        </p>
      )}
      {arrivals.length > 0 && arrivals.every(({ known }) => known) && (
        <p className={classes.note}>No new machine has come to {siteName} yet.</p>
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
