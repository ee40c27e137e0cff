// Libraries look at this once, when they are loaded, and otherwise put what was sent into their errors.
process.env.NODE_ENV = 'production'
