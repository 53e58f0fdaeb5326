import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Program } from './program.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

/** How a command line ended, and everything that it said. */
export interface Outcome {
  code: number
  output: string
}

// The PATH of root on Debian, without the Node of the tests.
const TERMINAL = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }

// The disk: what is written to these folders goes to memory, the rest is this machine's own.
const DISK = String.raw`
mount --make-rprivate /
mount -t tmpfs disk "$1"
mkdir "$1/groups"
mount -t cgroup2 groups "$1/groups"
mkdir "$1/groups/$2"
for folder in opt var/lib usr/bin etc; do
  mkdir -p "$1/$folder/new" "$1/$folder/work"
  # Of a container these are mounted over what lies in /etc, and would not be seen.
  if [ $folder = etc ]; then cp -L /etc/hosts /etc/resolv.conf "$1/etc/new"; fi
  mount -t overlay -o "lowerdir=/$folder,upperdir=$1/$folder/new,workdir=$1/$folder/work" disk "/$folder"
done
mount -t tmpfs -o mode=755 units /etc/systemd/system
echo ready
exec sleep infinity
`

// One start: systemd as process 1, with the targets that services hang on and none of this machine's own services.
// It takes itself to be in a container, and may set nothing of the kernel.
const START = String.raw`
echo 0 > "$1/groups/$2/cgroup.procs"
exec unshare --mount --pid --fork --kill-child --cgroup --uts sh -euc '
mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -t cgroup2 groups /sys/fs/cgroup
mount -t tmpfs -o mode=755 run /run
mkdir /run/host
echo muster > /run/host/container-manager
units=$(dirname "$(readlink -f /lib/systemd/system/basic.target)")
mkdir /run/targets
for target in multi-user basic sysinit network shutdown slices sockets timers paths; do
  cp "$units/$target.target" /run/targets
done
cp "$units"/systemd-journald.service "$units"/systemd-journald.socket /run/targets
mount --bind /run/targets "$units"
mount -t tmpfs none "$(readlink -f /lib/systemd)/system-generators"
exec env container=muster /lib/systemd/systemd --system --unit=multi-user.target --log-target=null
'
`

// A container without a service manager.
const START_PLAIN = String.raw`
exec unshare --mount --pid --fork --kill-child --uts sh -euc '
mount -t proc proc /proc
mount -t tmpfs -o mode=755 run /run
exec sleep infinity
'
`
/** The start of process 1, and its name. */
const INIT = {
  systemd: { script: START, name: 'systemd\n' },
  plain: { script: START_PLAIN, name: 'sleep\n' },
} as const

/** Starts a machine of its own with a real systemd. It is gone, with all that was installed on it, when disposed. */
export async function startSystemdMachine(): Promise<OwnMachine> {
  return startMachine('systemd')
}

/** The same without systemd, and without any other service manager. */
export async function startPlainMachine(): Promise<OwnMachine> {
  return startMachine('plain')
}

async function startMachine(init: keyof typeof INIT): Promise<OwnMachine> {
  if (process.getuid?.() !== 0) throw new Error('a machine of its own can be started by root only')
  const machine = new OwnMachine(await mkdtemp(join(tmpdir(), `muster-e2e-${init}-`)), init)
  try {
    await machine.powerOn()
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
  return machine
}

/**
 * A Linux machine inside this one: the same programs and network, with processes, services, /etc, /opt and
 * /var/lib of its own, so that an agent can be installed where administrators install it.
 */
export class OwnMachine implements AsyncDisposable {
  readonly #folder: string
  readonly #name: string
  readonly #disk: Program
  #system: Program | undefined
  #init: keyof typeof INIT
  #initPid = 0

  constructor(folder: string, init: keyof typeof INIT) {
    this.#folder = folder
    this.#init = init
    this.#name = folder.split('/').at(-1) ?? ''
    const args = ['--mount', 'sh', '-euc', DISK, 'disk', folder, this.#name]
    this.#disk = new Program('unshare', args, { env: TERMINAL })
  }

  async powerOn(init = this.#init): Promise<void> {
    this.#init = init
    await this.#disk.waitForLine(/^ready$/)
    const args = ['--target', `${this.#disk.pid}`, '--mount', 'sh', '-euc', INIT[this.#init].script, 'start']
    this.#system = new Program('nsenter', [...args, this.#folder, this.#name], { env: TERMINAL })
    this.#initPid = await this.#findInit(this.#system)
    if (this.#init === 'systemd') await this.#waitForServices()
  }

  /** Ends everything on it at once; what is on its disk stays. */
  async powerOff(): Promise<void> {
    if (this.#system?.isRunning === true && this.#initPid !== 0) process.kill(this.#initPid, 'SIGKILL')
    await this.#system?.stop('SIGKILL')
    this.#system = undefined
    this.#initPid = 0
  }

  /** Runs a line as root does in a terminal. */
  async run(line: string): Promise<Outcome> {
    const place = ['--target', `${this.#initPid}`, '--mount', '--pid', '--cgroup', '--uts']
    return runProgram('nsenter', [...place, 'sh', '-c', `exec 2>&1; cd /root; ${line}`])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.powerOff()
    if (this.#disk.isRunning) await this.#removeGroups()
    await this.#disk.stop('SIGKILL')
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #waitForServices(): Promise<void> {
    const deadlineMs = Date.now() + LONG_PATIENCE_MS
    for (;;) {
      const { output } = await this.run('systemctl is-system-running')
      if (output === 'running\n') return
      if (Date.now() > deadlineMs) throw new Error(`systemd does not run as it should: ${output}`)
      await setTimeout(50)
    }
  }

  /** The kernel releases groups a moment after their processes. */
  async #removeGroups(): Promise<void> {
    const place = ['--target', `${this.#disk.pid}`, '--mount']
    const remove = ['find', join(this.#folder, 'groups', this.#name), '-depth', '-type', 'd', '-delete']
    for (let attempt = 0; attempt < 50; attempt++) {
      if ((await runProgram('nsenter', [...place, ...remove])).code === 0) return
      await setTimeout(50)
    }
  }

  /** Process 1 of the machine, by the number that it has outside: the only child of what started it. */
  async #findInit(system: Program): Promise<number> {
    const deadlineMs = Date.now() + LONG_PATIENCE_MS
    while (system.isRunning && Date.now() < deadlineMs) {
      const children = await readFile(`/proc/${system.pid}/task/${system.pid}/children`, 'utf8')
      const pid = Number(children)
      // Before that it is still the shell that prepares the start.
      if (pid > 0 && (await readFile(`/proc/${pid}/comm`, 'utf8')) === INIT[this.#init].name) return pid
      await setTimeout(20)
    }
    throw new Error(`no machine can be started here:\n${system.output()}`)
  }
}

async function runProgram(file: string, args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { env: TERMINAL }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output: stdout + stderr })
    })
  })
}
