import { Alert } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconAlertTriangle } from '@tabler/icons-react'
import { MaintenanceNote } from '../../maintenance/OpenMaintenanceNote.tsx'
import { RebootNote } from '../../power/RebootNote.tsx'
import { MachineHead } from '../MachineHead.tsx'
import { FailingChecks } from './FailingChecks.tsx'
import { Health } from './Health.tsx'
import { LastActions } from './LastActions.tsx'
import { MachineFacts } from './MachineFacts.tsx'
import { OpenAlerts } from './OpenAlerts.tsx'
import { PatchesAndReboot } from './PatchesAndReboot.tsx'
import { SectionHeading } from '../../../ui/layout/Section.tsx'
import { ServerMachineNote } from './ServerMachineNote.tsx'
import classes from './Summary.module.css'
import { WhatChanged } from './WhatChanged.tsx'

interface MachineSummaryProps {
  agent: AgentDetail
  /** With the machine's head, if the page does not show it already. */
  named: boolean
}

/** The problems of a machine, their causes and fitting actions; its facts at the right. */
export function MachineSummary({ agent, named }: MachineSummaryProps) {
  return (
    <SectionHeading value={named ? 'h3' : 'h2'}>
      <div className={classes.summary}>
        <div className={classes.columns}>
          <div className={classes.main}>
            {named && <MachineHead agent={agent} level={2} />}
            <MaintenanceNote agent={agent} />
            <RebootNote agent={agent} />
            <ServerMachineNote agent={agent} />
            {agent.problems.length > 0 && <Problems problems={agent.problems} />}
            <FailingChecks agent={agent} />
            <Health agent={agent} />
            <WhatChanged agent={agent} />
            <LastActions agent={agent} />
          </div>
          <div className={classes.side}>
            <OpenAlerts agent={agent} />
            <PatchesAndReboot agent={agent} />
            <MachineFacts agent={agent} />
          </div>
        </div>
      </div>
    </SectionHeading>
  )
}

function Problems({ problems }: { problems: readonly string[] }) {
  return (
    <Alert
      color="warning"
      className={classes.problems}
      icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
      title={problems.length === 1 ? problems[0] : 'Machine has problems'}
    >
      {problems.length > 1 && (
        <ul>
          {problems.map((problem, index) => (
            <li key={index}>{problem}</li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
