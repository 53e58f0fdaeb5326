import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { installSoftware } from '@muster/contract/api/software'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { InstallDialog } from '../../runs/InstallDialog.tsx'

/** Either shows the desktop; which one a distribution has differs. */
const PACKAGE = 'x11vnc'
const OTHER_PACKAGE = 'tigervnc-scraping-server'

/** Installs what shows the desktop of a machine with X11, and goes on; nothing for who may not install. */
export function InstallVncServer({ agent, onInstalled }: { agent: AgentDetail; onInstalled: () => void }) {
  const may = useMay('can_manage_software')
  const [isAsking, setAsking] = useState(false)
  const params = { agent_id: agent.agent_id }
  if (!may) return null
  return (
    <>
      <Button onClick={() => setAsking(true)}>Install {PACKAGE}</Button>
      {isAsking && (
        <InstallDialog
          title={`Install ${PACKAGE} on ${agent.hostname}?`}
          message={
            <>
              <p>
                The machine installs the package {PACKAGE} by its own package manager, or {OTHER_PACKAGE}{' '}
                where it does not know that.
              </p>
              <p>It runs only while somebody looks at the desktop, and nobody reaches it from the network.</p>
            </>
          }
          confirmLabel="Install"
          start={() =>
            call(installSoftware, { params, body: { name: PACKAGE, alternatives: [OTHER_PACKAGE] } })
          }
          next={
            <Button
              onClick={() => {
                setAsking(false)
                onInstalled()
              }}
            >
              Open the desktop
            </Button>
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
