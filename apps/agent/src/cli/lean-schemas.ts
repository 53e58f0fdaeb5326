import { config } from 'zod'

// A function compiled for each schema is memory for a speed that an agent has no use for: 0.5 MB less.
config({ jitless: true })
