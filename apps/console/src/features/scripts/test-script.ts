import type { Script } from '@muster/contract/api/scripts'

/** A script of the library, for tests. */
export function testScript(change: Partial<Script> = {}): Script {
  return {
    id: 7,
    name: 'Clean',
    description: '',
    category: '',
    shell: 'shell',
    script_type: 'userdefined',
    args: [],
    env_vars: [],
    parameters: [],
    filename: '',
    syntax: '',
    default_timeout: 90,
    supported_platforms: [],
    favorite: false,
    hidden: false,
    run_as_user: false,
    server_approval: null,
    ...change,
  }
}
