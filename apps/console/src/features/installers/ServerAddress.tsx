import '@mantine/core/styles/Alert.css'
import { Alert, Stack } from '@mantine/core'
import { useDashInfo } from '../../app/api/queries.ts'
import { CopyBox } from '../../ui/inputs/CopyBox.tsx'
import classes from './InstallAgent.module.css'
import { isLoopback } from './install-form.ts'

const START = `export MUSTER_HOST=0.0.0.0
export MUSTER_PUBLIC_URL=https://muster.example.org:8420
export MUSTER_TLS_CERT=cert.pem MUSTER_TLS_KEY=key.pem
npm start`

/** The address that machines connect to, and whether TLS protects it: machines keep it, so it comes before the command. */
export function ServerAddress() {
  const url = useDashInfo()?.agent_url
  if (url === undefined) return null
  const address = <span className="mono">{url}</span>
  if (isLoopback(url)) {
    return (
      <Alert color="warning" role="note" title="Other machines cannot reach this server yet">
        <Stack gap="xs">
          <div>
            {address} exists on the server's own machine only. For other machines, restart the server with an
            address that they can reach, and a TLS certificate for its name:
          </div>
          <CopyBox text={START} label="Command that starts the server on the network" />
          <div>Then open the console at the new address and create the command there.</div>
        </Stack>
      </Alert>
    )
  }
  if (url.startsWith('https:')) {
    return (
      <p className={classes.note}>
        Machines connect to {address}. TLS encrypts the connection, and agents verify the server's
        certificate.
      </p>
    )
  }
  return (
    <Alert color="warning" role="note" title="No TLS">
      Machines connect to {address}. Others on the network can read what is sent. Set MUSTER_TLS_CERT and
      MUSTER_TLS_KEY before you install agents: they keep this address.
    </Alert>
  )
}
