module example.com/liveness/integrations/failsafe

go 1.26.0

require (
	example.com/liveness v0.0.0
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace example.com/liveness => ../..
