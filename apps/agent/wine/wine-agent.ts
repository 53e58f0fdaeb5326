import { GOOD_TOKEN, TestServer } from '../src/testing/test-server.ts'
import { WineMachine } from './wine-machine.ts'

const DATA = ['--data', 'C:\\ProgramData\\Muster Agent']

/** A Windows machine whose agent, the bundle that is shipped, is connected to a test server. */
export class WineAgent implements AsyncDisposable {
  readonly server: TestServer
  readonly machine: WineMachine
  /** Node for Windows. */
  readonly node: string

  private constructor(server: TestServer, machine: WineMachine, node: string) {
    this.server = server
    this.machine = machine
    this.node = node
  }

  static async start(): Promise<WineAgent> {
    const server = new TestServer()
    const machine = await WineMachine.start()
    server.readLog = () => machine.readOutput()
    const url = `http://127.0.0.1:${await server.listen()}`
    const [node = '', ...program] = machine.layProgram('C:\\Muster')
    const enrolment = ['enrol', '--server', url, '--token', GOOD_TOKEN, ...DATA]
    const code = await machine.run([node, ...program, ...enrolment])
    if (code !== 0) throw new Error(machine.readOutput())
    machine.start([node, ...program, 'run', ...DATA])
    await server.until(() => server.answers.length > 0)
    return new WineAgent(server, machine, node)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
    await this.machine[Symbol.asyncDispose]()
  }
}
