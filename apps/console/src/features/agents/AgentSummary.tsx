import { Alert, Button } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { Guest, GuestHost, Protection, ProtectionSubject } from '@muster/contract/agent/facts'
import type { AgentDetail } from '@muster/contract/api/agents'
import { platformName } from '@muster/rules/agents/available-actions'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CopyText } from '../../ui/inputs/CopyText.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { MaintenanceNote } from '../maintenance/OpenMaintenanceNote.tsx'
import { RebootNote } from '../power/RebootNote.tsx'
import { describeUpdate } from '../updates/update-labels.ts'
import { describeValue } from '../custom-fields/field-values.ts'
import classes from './AgentSummary.module.css'
import { DiskList } from './DiskList.tsx'
import { MachineStatus } from './machine-cells.tsx'

interface AgentSummaryProps {
  agent: AgentDetail
  /** With the machine's name, if the page does not show it already. */
  named: boolean
}

/** Everything known about a machine, at a glance. */
export function AgentSummary({ agent, named }: AgentSummaryProps) {
  return (
    <div className={classes.summary}>
      <MaintenanceNote agent={agent} />
      <RebootNote agent={agent} />
      {agent.problems.length > 0 && <Problems problems={agent.problems} />}
      <div className={classes.cards}>
        <Hardware agent={agent} named={named} />
        <section className={classes.card} aria-label="Disks">
          <CardTitle named={named}>Disks</CardTitle>
          <DiskList disks={agent.facts?.disks ?? []} />
          {agent.physical_disks.length > 0 && (
            <ul className={classes.physical}>
              {agent.physical_disks.map((disk, index) => (
                <li key={index}>{disk}</li>
              ))}
            </ul>
          )}
        </section>
        <Network agent={agent} named={named} />
        <Security agent={agent} named={named} />
        <Guests agent={agent} named={named} />
        <Policies agent={agent} named={named} />
        <CustomFields agent={agent} named={named} />
      </div>
    </div>
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

function Hardware({ agent, named }: AgentSummaryProps) {
  const { serial_number: serial } = agent
  return (
    <section className={classes.card} aria-label="Machine">
      {named ? (
        <header className={classes.head}>
          <MachineStatus row={agent} />
          <h2 className={classes.name}>{agent.hostname}</h2>
          <span className={classes.version}>{agent.version !== '' && `agent ${agent.version}`}</span>
        </header>
      ) : (
        <h2 className={classes.title}>Machine</h2>
      )}
      {agent.facts === null && <p className={classes.dim}>No inventory reported yet.</p>}
      <dl className={classes.facts}>
        <Fact name="System">{agent.operating_system || platformName(agent.plat)}</Fact>
        <Fact name="Model">{agent.make_model}</Fact>
        <Fact name="Processor">{describeProcessors(agent.cpu_model)}</Fact>
        <Fact name="Memory">{agent.total_ram > 0 && `${agent.total_ram} GB`}</Fact>
        <Fact name="Graphics">{agent.graphics}</Fact>
        <Fact name="Serial">{serial !== '' && <CopyText text={serial} label="Copy serial number" />}</Fact>
        <Fact name="Architecture">{agent.goarch}</Fact>
        <Fact name="Description">{agent.description}</Fact>
        {!named && <Fact name="Agent">{agent.version}</Fact>}
        <Fact name="Agent update">
          {agent.update !== null && agent.update.state !== 'confirmed' && describeUpdate(agent.update)}
        </Fact>
      </dl>
    </section>
  )
}

function Network({ agent, named }: AgentSummaryProps) {
  const { public_ip: publicIp, logged_username: user, italic } = agent
  const zone = agent.time_zone ?? agent.timezone
  return (
    <section className={classes.card} aria-label="Users and network">
      <CardTitle named={named}>Users and network</CardTitle>
      <dl className={classes.facts}>
        <Fact name="User">
          {user !== '' && (italic ? <em className={classes.dim}>{user} (last user)</em> : user)}
        </Fact>
        <Fact name="Public address">
          {publicIp !== '' && <CopyText text={publicIp} label="Copy public address" />}
        </Fact>
        {(agent.facts?.addresses ?? []).map(({ interface: name, address }, index) => (
          <Fact key={index} name={name}>
            <CopyText text={address} label={`Copy address of ${name}`} />
          </Fact>
        ))}
        <Fact name="Last response">
          {agent.connected ? 'just now' : <Time instant={agent.last_seen} relative machineZone={zone} />}
        </Fact>
        <Fact name="Started">
          {agent.boot_time !== null && <Time instant={agent.boot_time} relative machineZone={zone} />}
        </Fact>
        <Fact name="Time zone">{zone}</Fact>
        <Fact name="Patches">
          {agent.has_patches_pending && <span className={classes.warning}>pending</span>}
        </Fact>
        <Fact name="Reboot">{agent.needs_reboot && <span className={classes.negative}>needed</span>}</Fact>
      </dl>
    </section>
  )
}

const SUBJECTS: Record<ProtectionSubject, string> = {
  antivirus: 'Antivirus',
  firewall: 'Firewall',
  disk_encryption: 'Encryption',
  tpm: 'TPM',
  access_control: 'Access control',
}

/** Protections of the machine. One that could not be read says why. */
function Security({ agent, named }: AgentSummaryProps) {
  const security = agent.facts?.security
  if (agent.facts === null) return null
  return (
    <section className={classes.card} aria-label="Security">
      <CardTitle named={named}>Security</CardTitle>
      {security === undefined ? (
        <p className={classes.dim}>Not reported. Update the agent of this machine.</p>
      ) : (
        <dl className={classes.facts}>
          {[...Map.groupBy(security, ({ subject }) => subject)].map(([subject, found]) => (
            <Fact key={subject} name={SUBJECTS[subject]}>
              {found.map((protection, index) => (
                <div key={index}>
                  {protection.name !== SUBJECTS[subject] && <bdi>{protection.name} </bdi>}
                  <ProtectionState {...protection} />
                </div>
              ))}
            </Fact>
          ))}
        </dl>
      )}
    </section>
  )
}

const PROTECTION_STATES: Record<Protection['state'], { label: string; tone: string | undefined }> = {
  on: { label: 'on', tone: undefined },
  off: { label: 'off', tone: classes.negative },
  attention: { label: 'needs attention', tone: classes.warning },
  absent: { label: 'none', tone: classes.dim },
  unknown: { label: 'unknown', tone: classes.warning },
}

function ProtectionState({ state, detail }: Protection) {
  const { label, tone } = PROTECTION_STATES[state]
  return (
    <>
      <span className={tone}>{label}</span>
      {detail !== '' && (
        <span className={classes.dim}>
          {' '}
          (<bdi>{detail}</bdi>)
        </span>
      )}
    </>
  )
}

const RUNTIMES: Record<GuestHost['runtime'], string> = {
  docker: 'Docker',
  podman: 'Podman',
  libvirt: 'libvirt',
}

const GUEST_TONES: Record<Guest['state'], string | undefined> = {
  running: undefined,
  paused: classes.warning,
  restarting: classes.warning,
  stopped: classes.dim,
  failed: classes.negative,
  unknown: classes.warning,
}

/** Containers and virtual machines of a host. */
function Guests({ agent, named }: AgentSummaryProps) {
  const hosts = agent.facts?.guests ?? []
  if (hosts.length === 0) return null
  return (
    <section className={classes.card} aria-label="Containers and virtual machines">
      <CardTitle named={named}>Containers and virtual machines</CardTitle>
      <dl className={classes.facts}>
        {hosts.map(({ runtime, problem, guests, left_out: leftOut }) => (
          <Fact key={runtime} name={RUNTIMES[runtime]}>
            {problem !== null && <span className={classes.warning}>{problem}</span>}
            {problem === null && guests.length === 0 && <span className={classes.dim}>none</span>}
            {guests.map(({ name, image, state, detail }, index) => (
              <div key={index}>
                <bdi>{name}</bdi> <span className={GUEST_TONES[state]}>{state}</span>
                <bdi className={classes.dim}>
                  {[detail, image].filter(Boolean).map((text) => `, ${text}`)}
                </bdi>
              </div>
            ))}
            {leftOut > 0 && <div className={classes.dim}>and {leftOut} more</div>}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

/** Policies and the alert template, with the reason a click away. */
function Policies({ agent, named }: AgentSummaryProps) {
  const { open } = useDialog()
  const mayExplain = useMay('can_list_automation_policies')
  const { applied_policies: policies, effective_alert_template: template } = agent
  if (policies.length === 0 && template === null) return null
  const why = () => open('why-check', `${agent.agent_id}.alert_template`)
  return (
    <section className={classes.card} aria-label="Policies and alerts">
      <CardTitle named={named}>Policies and alerts</CardTitle>
      <dl className={classes.facts}>
        <Fact name="Policies">
          {policies.length > 0 && <bdi>{policies.map(({ name }) => name).join(', ')}</bdi>}
        </Fact>
        <Fact name="Alert template">
          {template !== null && (
            <>
              <bdi>{template.name}</bdi>{' '}
              {mayExplain && (
                <Button variant="subtle" size="compact-xs" onClick={why}>
                  Why?
                </Button>
              )}
            </>
          )}
        </Fact>
      </dl>
    </section>
  )
}

/** Custom fields of the machine. */
function CustomFields({ agent, named }: AgentSummaryProps) {
  const shown = agent.custom_fields.filter(({ hide_in_summary }) => !hide_in_summary)
  if (shown.length === 0) return null
  return (
    <section className={classes.card} aria-label="Custom fields">
      <CardTitle named={named}>Custom fields</CardTitle>
      <dl className={classes.facts}>
        {shown.map(({ id, name, type, value }) => (
          <Fact key={id} name={name}>
            {type === 'datetime' && typeof value === 'string' ? (
              <Time instant={value} />
            ) : (
              <bdi>{describeValue(value)}</bdi>
            )}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

/** A heading below the machine's name, or directly below the page's title. */
function CardTitle({ named, children }: { named: boolean; children: ReactNode }) {
  const Heading = named ? 'h3' : 'h2'
  return <Heading className={classes.title}>{children}</Heading>
}

/** A line of facts; unknown ones are left out. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === '' || children === false || children === null) return null
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** `2× Xeon Silver 4310`: equal processors are counted. */
function describeProcessors(models: readonly string[]): string {
  return [...Map.groupBy(models, (model) => model)]
    .map(([model, equal]) => (equal.length > 1 ? `${equal.length}× ${model}` : model))
    .join(', ')
}
