import { config } from 'zod'

// Zod compiles a function per schema. The agent does not need that speed, and saves 0.5 MB without it.
config({ jitless: true })
