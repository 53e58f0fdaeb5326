import pkg from '../package.json' with { type: 'json' }

export const AGENT_VERSION: string = pkg.version
/** The oldest major version of Node that runs this agent. */
export const OLDEST_NODE: number = pkg.oldest_node
