module example.com/liveness/integrations/systemd

go 1.26.0

require (
	example.com/liveness v0.0.0
	github.com/coreos/go-systemd/v22 v22.7.0
	github.com/stretchr/testify v1.12.1
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.1.0 // indirect
)

replace example.com/liveness => ../..
